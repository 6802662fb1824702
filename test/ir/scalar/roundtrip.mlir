// RUN: graphc-opt %s | graphc-opt | FileCheck %s
// Every scalar op survives a round trip with the types that its table entry allows.

// CHECK-LABEL: kernel.func @all
kernel.func @all() outs() grid() {
  %f = scalar.constant 1.5 : f32
  %d = scalar.constant 1.5 : f64
  %b = scalar.constant true
  %i = scalar.constant 3 : i8
  %l = scalar.constant -3 : i64
  %u = scalar.constant 250 : ui8
  // CHECK: scalar.neg {{.*}} : f32
  %0 = scalar.neg %f : f32
  // CHECK: scalar.neg {{.*}} : ui8
  %1 = scalar.neg %u : ui8
  // CHECK: scalar.abs {{.*}} : f32
  %2 = scalar.abs %f : f32
  // CHECK: scalar.abs {{.*}} : ui8
  %3 = scalar.abs %u : ui8
  // CHECK: scalar.sqrt {{.*}} : f32
  %4 = scalar.sqrt %f : f32
  // CHECK: scalar.sqrt {{.*}} : f64
  %5 = scalar.sqrt %d : f64
  // CHECK: scalar.rsqrt {{.*}} : f32
  %6 = scalar.rsqrt %f : f32
  // CHECK: scalar.rsqrt {{.*}} : f64
  %7 = scalar.rsqrt %d : f64
  // CHECK: scalar.floor {{.*}} : f32
  %8 = scalar.floor %f : f32
  // CHECK: scalar.floor {{.*}} : f64
  %9 = scalar.floor %d : f64
  // CHECK: scalar.ceil {{.*}} : f32
  %10 = scalar.ceil %f : f32
  // CHECK: scalar.ceil {{.*}} : f64
  %11 = scalar.ceil %d : f64
  // CHECK: scalar.trunc {{.*}} : f32
  %12 = scalar.trunc %f : f32
  // CHECK: scalar.trunc {{.*}} : f64
  %13 = scalar.trunc %d : f64
  // CHECK: scalar.round_even {{.*}} : f32
  %14 = scalar.round_even %f : f32
  // CHECK: scalar.round_even {{.*}} : f64
  %15 = scalar.round_even %d : f64
  // CHECK: scalar.exp {{.*}} : f32
  %16 = scalar.exp %f : f32
  // CHECK: scalar.exp {{.*}} : f64
  %17 = scalar.exp %d : f64
  // CHECK: scalar.exp2 {{.*}} : f32
  %18 = scalar.exp2 %f : f32
  // CHECK: scalar.exp2 {{.*}} : f64
  %19 = scalar.exp2 %d : f64
  // CHECK: scalar.expm1 {{.*}} : f32
  %20 = scalar.expm1 %f : f32
  // CHECK: scalar.expm1 {{.*}} : f64
  %21 = scalar.expm1 %d : f64
  // CHECK: scalar.log {{.*}} : f32
  %22 = scalar.log %f : f32
  // CHECK: scalar.log {{.*}} : f64
  %23 = scalar.log %d : f64
  // CHECK: scalar.log2 {{.*}} : f32
  %24 = scalar.log2 %f : f32
  // CHECK: scalar.log2 {{.*}} : f64
  %25 = scalar.log2 %d : f64
  // CHECK: scalar.log10 {{.*}} : f32
  %26 = scalar.log10 %f : f32
  // CHECK: scalar.log10 {{.*}} : f64
  %27 = scalar.log10 %d : f64
  // CHECK: scalar.log1p {{.*}} : f32
  %28 = scalar.log1p %f : f32
  // CHECK: scalar.log1p {{.*}} : f64
  %29 = scalar.log1p %d : f64
  // CHECK: scalar.sin {{.*}} : f32
  %30 = scalar.sin %f : f32
  // CHECK: scalar.sin {{.*}} : f64
  %31 = scalar.sin %d : f64
  // CHECK: scalar.cos {{.*}} : f32
  %32 = scalar.cos %f : f32
  // CHECK: scalar.cos {{.*}} : f64
  %33 = scalar.cos %d : f64
  // CHECK: scalar.tan {{.*}} : f32
  %34 = scalar.tan %f : f32
  // CHECK: scalar.tan {{.*}} : f64
  %35 = scalar.tan %d : f64
  // CHECK: scalar.asin {{.*}} : f32
  %36 = scalar.asin %f : f32
  // CHECK: scalar.asin {{.*}} : f64
  %37 = scalar.asin %d : f64
  // CHECK: scalar.acos {{.*}} : f32
  %38 = scalar.acos %f : f32
  // CHECK: scalar.acos {{.*}} : f64
  %39 = scalar.acos %d : f64
  // CHECK: scalar.atan {{.*}} : f32
  %40 = scalar.atan %f : f32
  // CHECK: scalar.atan {{.*}} : f64
  %41 = scalar.atan %d : f64
  // CHECK: scalar.sinh {{.*}} : f32
  %42 = scalar.sinh %f : f32
  // CHECK: scalar.sinh {{.*}} : f64
  %43 = scalar.sinh %d : f64
  // CHECK: scalar.cosh {{.*}} : f32
  %44 = scalar.cosh %f : f32
  // CHECK: scalar.cosh {{.*}} : f64
  %45 = scalar.cosh %d : f64
  // CHECK: scalar.tanh {{.*}} : f32
  %46 = scalar.tanh %f : f32
  // CHECK: scalar.tanh {{.*}} : f64
  %47 = scalar.tanh %d : f64
  // CHECK: scalar.asinh {{.*}} : f32
  %48 = scalar.asinh %f : f32
  // CHECK: scalar.asinh {{.*}} : f64
  %49 = scalar.asinh %d : f64
  // CHECK: scalar.acosh {{.*}} : f32
  %50 = scalar.acosh %f : f32
  // CHECK: scalar.acosh {{.*}} : f64
  %51 = scalar.acosh %d : f64
  // CHECK: scalar.atanh {{.*}} : f32
  %52 = scalar.atanh %f : f32
  // CHECK: scalar.atanh {{.*}} : f64
  %53 = scalar.atanh %d : f64
  // CHECK: scalar.erf {{.*}} : f32
  %54 = scalar.erf %f : f32
  // CHECK: scalar.erf {{.*}} : f64
  %55 = scalar.erf %d : f64
  // CHECK: scalar.erfc {{.*}} : f32
  %56 = scalar.erfc %f : f32
  // CHECK: scalar.erfc {{.*}} : f64
  %57 = scalar.erfc %d : f64
  // CHECK: scalar.add {{.*}} : f32
  %58 = scalar.add %f, %f : f32
  // CHECK: scalar.add {{.*}} : i64
  %59 = scalar.add %l, %l : i64
  // CHECK: scalar.add {{.*}} : ui8
  %60 = scalar.add %u, %u : ui8
  // CHECK: scalar.sub {{.*}} : f32
  %61 = scalar.sub %f, %f : f32
  // CHECK: scalar.sub {{.*}} : i64
  %62 = scalar.sub %l, %l : i64
  // CHECK: scalar.sub {{.*}} : ui8
  %63 = scalar.sub %u, %u : ui8
  // CHECK: scalar.mul {{.*}} : f32
  %64 = scalar.mul %f, %f : f32
  // CHECK: scalar.mul {{.*}} : i64
  %65 = scalar.mul %l, %l : i64
  // CHECK: scalar.mul {{.*}} : ui8
  %66 = scalar.mul %u, %u : ui8
  // CHECK: scalar.div {{.*}} : f32
  %67 = scalar.div %f, %f : f32
  // CHECK: scalar.int_div {{.*}} : i64
  %68 = scalar.int_div %l, %l : i64
  // CHECK: scalar.int_div {{.*}} : ui8
  %69 = scalar.int_div %u, %u : ui8
  // CHECK: scalar.int_div {{.*}} : i1
  %70 = scalar.int_div %b, %b : i1
  // CHECK: scalar.int_floor_div {{.*}} : i64
  %71 = scalar.int_floor_div %l, %l : i64
  // CHECK: scalar.int_floor_div {{.*}} : ui8
  %72 = scalar.int_floor_div %u, %u : ui8
  // CHECK: scalar.int_floor_div {{.*}} : i1
  %73 = scalar.int_floor_div %b, %b : i1
  // CHECK: scalar.int_rem {{.*}} : i64
  %74 = scalar.int_rem %l, %l : i64
  // CHECK: scalar.int_rem {{.*}} : ui8
  %75 = scalar.int_rem %u, %u : ui8
  // CHECK: scalar.int_rem {{.*}} : i1
  %76 = scalar.int_rem %b, %b : i1
  // CHECK: scalar.fmod {{.*}} : f32
  %77 = scalar.fmod %f, %f : f32
  // CHECK: scalar.max {{.*}} : f32
  %78 = scalar.max %f, %f : f32
  // CHECK: scalar.max {{.*}} : i64
  %79 = scalar.max %l, %l : i64
  // CHECK: scalar.max {{.*}} : ui8
  %80 = scalar.max %u, %u : ui8
  // CHECK: scalar.min {{.*}} : f32
  %81 = scalar.min %f, %f : f32
  // CHECK: scalar.min {{.*}} : i64
  %82 = scalar.min %l, %l : i64
  // CHECK: scalar.min {{.*}} : ui8
  %83 = scalar.min %u, %u : ui8
  // CHECK: scalar.pow {{.*}} : f32
  %84 = scalar.pow %f, %f : f32
  // CHECK: scalar.atan2 {{.*}} : f32
  %85 = scalar.atan2 %f, %f : f32
  // CHECK: scalar.copysign {{.*}} : f32
  %86 = scalar.copysign %f, %f : f32
  // CHECK: scalar.and {{.*}} : i64
  %87 = scalar.and %l, %l : i64
  // CHECK: scalar.and {{.*}} : ui8
  %88 = scalar.and %u, %u : ui8
  // CHECK: scalar.and {{.*}} : i1
  %89 = scalar.and %b, %b : i1
  // CHECK: scalar.or {{.*}} : i64
  %90 = scalar.or %l, %l : i64
  // CHECK: scalar.or {{.*}} : ui8
  %91 = scalar.or %u, %u : ui8
  // CHECK: scalar.or {{.*}} : i1
  %92 = scalar.or %b, %b : i1
  // CHECK: scalar.xor {{.*}} : i64
  %93 = scalar.xor %l, %l : i64
  // CHECK: scalar.xor {{.*}} : ui8
  %94 = scalar.xor %u, %u : ui8
  // CHECK: scalar.xor {{.*}} : i1
  %95 = scalar.xor %b, %b : i1
  // CHECK: scalar.shl {{.*}} : i64
  %96 = scalar.shl %l, %l : i64
  // CHECK: scalar.shl {{.*}} : ui8
  %97 = scalar.shl %u, %u : ui8
  // CHECK: scalar.shl {{.*}} : i1
  %98 = scalar.shl %b, %b : i1
  // CHECK: scalar.shr {{.*}} : i64
  %99 = scalar.shr %l, %l : i64
  // CHECK: scalar.shr {{.*}} : ui8
  %100 = scalar.shr %u, %u : ui8
  // CHECK: scalar.shr {{.*}} : i1
  %101 = scalar.shr %b, %b : i1
  // CHECK: scalar.select {{.*}} : i8
  %103 = scalar.select %b, %i, %i : i8
  // CHECK: scalar.cast {{.*}} : f32 to bf16
  %104 = scalar.cast %f : f32 to bf16
  // CHECK: scalar.cast {{.*}} : f32 to i8
  %105 = scalar.cast %f : f32 to i8
  // CHECK: scalar.cast {{.*}} : ui8 to f64
  %106 = scalar.cast %u : ui8 to f64
  // CHECK: scalar.cast {{.*}} : i1 to i64
  %107 = scalar.cast %b : i1 to i64
  // CHECK: scalar.cast {{.*}} : i64 to i1
  %108 = scalar.cast %l : i64 to i1
}
