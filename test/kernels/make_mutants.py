"""Writes a C++ file with one broken copy of a kernel template per planted bug, each in its own namespace.

Input: the folder of the templates and the output path. Output: `planted_bugs.inc`, included by mutant_test.cpp: the
copies and a table {name, how it must be caught, function that runs it}. A text to replace that isn't found exactly once
fails the build, so the list cannot drift from the templates.

    make_mutants.py codegen/cuda/kernels build/test/kernels/planted_bugs.inc
"""

import pathlib
import sys

# name, layouts of A and B (K: k contiguous) or threads per row, file, what to replace, by what. "fault": an error or a wrong result in some
# run; "lint": right results, but accesses that are no longer ideal.
MMA = [
    ("baseline", "KK", "gemm_mma", "", "", "none"),
    ("loop_without_barrier", "KK", "gemm_mma", "      gc_sync_block();\n      if (s + config", "      if (s + config", "fault"),
    ("loop_without_wait", "KK", "gemm_mma", "      gc_copy_wait<config::stages - 2>();\n", "", "fault"),
    ("wait_one_group_short", "KK", "gemm_mma", "gc_copy_wait<config::stages - 2>", "gc_copy_wait<config::stages - 1>", "fault"),
    ("two_slots_for_three_stages", "KK", "gemm_mma", "slice % config::stages *", "slice % (config::stages - 1) *", "fault"),
    ("refill_slot_being_read", "KK", "gemm_mma", "        load(s + config::stages - 1);\n      gc_copy_commit();\n      multiply(d, s);",
     "        load(s);\n      gc_copy_commit();\n      multiply(d, s);", "fault"),
    ("fragment_a_quadrants_swapped", "KK", "gemm_mma", "offset(row + low + second * 8, k + third * 8)",
     "offset(row + low + third * 8, k + second * 8)", "fault"),
    ("fragment_b_quadrants_swapped", "KK", "gemm_mma", "offset(row + low + third * 8, k + second * 8)",
     "offset(row + low + second * 8, k + third * 8)", "fault"),
    ("fragment_without_transpose", "KN", "gemm_mma", "gc_load_matrix_transposed(r, slice + offset(row + third",
     "gc_load_matrix(r, slice + offset(row + third", "fault"),
    ("fragment_ignores_second_half_of_k", "KK", "gemm_mma", "k < config::depth; k += 16", "k < 16; k += 16", "fault"),
    ("copy_ignores_swizzle", "KK", "gemm_mma", "gc_u8 *target = slice + offset(row, k);",
     "gc_u8 *target = slice + (KMajor ? row * 64 + k * 2 : k * 256 + row * 2);", "fault"),
    ("no_swizzle_rows", "KK", "gemm_mma", "((k / chunk) ^ ((row >> 1) & 3))", "(k / chunk)", "lint"),
    ("swizzle_from_wrong_bits", "KK", "gemm_mma", "((row >> 1) & 3)", "((row >> 2) & 3)", "lint"),
    ("no_swizzle_columns", "KN", "gemm_mma", "((row / chunk) ^ (k & 7))", "(row / chunk)", "lint"),
    ("row_guard_off_by_one", "KK", "gemm_mma", "row < rows : k < total", "row <= rows : k < total", "fault"),
    ("k_guard_off_by_one", "KN", "gemm_mma", "row < rows : k < total", "row < rows : k <= total", "fault"),
    ("k_tail_not_masked", "KK", "gemm_mma", "left < chunk ? left : chunk", "chunk", "fault"),
    ("element_tail_off_by_one", "KK", "gemm_mma", "e + 1 < valid", "e < valid", "fault"),
    ("alignment_of_stride_only", "KK", "gemm_mma", "gc_aligned(b, 16) && gc_aligned(p.strideB * 2, 16)",
     "gc_aligned(p.strideB * 2, 16)", "fault"),
    ("alignment_of_base_only", "KK", "gemm_mma", "gc_aligned(a, 16) && gc_aligned(p.strideA * 2, 16)", "gc_aligned(a, 16)", "fault"),
    ("first_batch_of_b_for_all", "KK", "gemm_mma", "batchB(tile.batch)", "batchB(0)", "fault"),
    ("stage_without_barrier_before", "KK", "gemm_mma", "      gc_sync_block();\n      if ((int)gc_thread() / 128", "      if ((int)gc_thread() / 128", "fault"),
    ("stage_without_barrier_after", "KK", "gemm_mma", "        gc_mma_stage(staged, d);\n      gc_sync_block();", "        gc_mma_stage(staged, d);", "fault"),
    ("next_tile_without_barrier", "KK", "gemm_mma", "staged);\n    }\n    gc_sync_block();", "staged);\n    }", "fault"),
    ("barrier_for_one_half_only", "KK", "gemm_mma", "        gc_mma_stage(staged, d);\n      gc_sync_block();",
     "        gc_mma_stage(staged, d), gc_sync_block();", "fault"),
    ("staged_column_of_pair", "KK", "gemm_mma", "j * 8 + lane % 4 * 2, pair", "j * 8 + lane % 4, pair", "fault"),
    ("staged_row_of_half", "KK", "gemm_mma", "tile.m + half * config::stagedRows", "tile.m", "fault"),
    ("staged_pitch_without_padding", "KK", "gemm_mma", "stagedPitch = tileN + 8", "stagedPitch = tileN", "lint"),
    ("staged_beyond_shared_memory", "KK", "gemm_mma", "float *staged = (float *)gc_shared();",
     "float *staged = (float *)(gc_shared() + 16384);", "fault"),
    ("epilogue_row_guard_off_by_one", "KK", "gemm_epilogue", "row >= rows ||", "row > rows ||", "fault"),
    ("epilogue_column_guard_off_by_one", "KK", "gemm_epilogue", "column + v < columns", "column + v <= columns", "fault"),
    ("epilogue_wide_past_the_edge", "KK", "gemm_epilogue", "wide && column + width <= columns", "wide || column + width <= columns", "fault"),
    ("tiles_round_down", "KK", "gemm_epilogue", "(p.n + TileN - 1) / TileN", "p.n / TileN", "fault"),
    ("last_group_of_tile_rows", "KK", "gemm_epilogue", "rows - firstRow < group ? rows - firstRow : group", "group", "fault"),
]
FMA = [
    ("baseline", "KK", "gemm_fma", "", "", "none"),
    ("no_barrier", "KK", "gemm_fma", "    b.store(sliceB, nextB);\n    gc_sync_block();", "    b.store(sliceB, nextB);", "fault"),
    ("one_buffer", "KK", "gemm_fma", "(s & 1) * 2", "(s & 0) * 2", "fault"),
    ("fetch_tail_off_by_one", "KK", "gemm_fma", "inside && i < left", "inside && i <= left", "fault"),
    ("fetch_ignores_alignment", "KK", "gemm_fma", "left >= 4 && aligned", "left >= 4", "fault"),
    ("fetch_row_guard", "KN", "gemm_fma", "row() < rows : depth() < here", "row() <= rows : depth() <= here", "fault"),
    ("stage_wrong_half", "KK", "gemm_fma", "half ? d[4 + i][h * 4 + j] : d[i][h * 4 + j]", "d[i][h * 4 + j]", "fault"),
    ("stage_without_barrier_before", "KK", "gemm_fma", "      gc_sync_block();\n      gc_fma_stage", "      gc_fma_stage", "fault"),
    ("pitch_without_padding", "KK", "gemm_fma", "pitch = tile + 4;", "pitch = tile;", "lint"),
]
ROWS = [
    ("baseline", "256", "row_reduce", "", "", "none"),
    ("baseline_warp", "32", "row_reduce", "", "", "none"),
    ("no_barrier_before_partials", "256", "row_reduce", "    gc_sync_block();\n    GC_UNROLL\n    for (int warp", "    GC_UNROLL\n    for (int warp", "fault"),
    ("no_barrier_after_partials", "256", "row_reduce", "    gc_sync_block();\n    return value;", "    return value;", "fault"),
    ("half_a_butterfly", "32", "row_reduce", "mask = 16", "mask = 8", "fault"),
    ("one_warp_left_out", "256", "row_reduce", "warp < Threads / 32; ++warp", "warp < Threads / 32 - 1; ++warp", "fault"),
    ("partials_overlap", "256", "row_reduce", "gc_shared() + gc_thread() / 32 * 16, raw", "gc_shared() + gc_thread() / 32 * 8, raw", "fault"),
    ("partials_from_every_lane", "256", "row_reduce", "    if (gc_thread() % 32 == 0)\n", "", "fault"),
    ("row_guard_off_by_one", "32", "row_reduce", "row < rows;", "row <= rows;", "fault"),
    ("rows_by_lane", "32", "row_reduce", "gc_block() * perBlock + gc_thread() / Group", "gc_block() * perBlock + gc_thread() % Group", "fault"),
    ("wide_without_alignment", "32", "row_reduce", "Body::width > 1 && body.wide()", "Body::width > 1", "fault"),
]
POINTWISE = [
    ("baseline", "256", "pointwise", "", "", "none"),
    ("guard_off_by_one", "256", "pointwise", "unit = first; unit < units", "unit = first; unit <= units", "fault"),
    ("wide_without_alignment", "256", "pointwise", "Body::width > 1 && body.wide()", "Body::width > 1", "fault"),
    ("vectors_overlap", "256", "pointwise", "unit = first * Body::width", "unit = first", "fault"),
    ("blocks_overlap", "256", "pointwise", "(gc_i64)gc_block() * Threads + gc_thread()", "(gc_i64)gc_block() + gc_thread()", "fault"),
]


def stripped(text):
    return "\n".join(line for line in text.splitlines() if not line.startswith(("#include", "#pragma once"))) + "\n"


def write_family(out, folder, family, mutants, runner):
    for name, layouts, target, old, new, how in mutants:
        body = ""
        for source in ("gemm_epilogue", family) if family.startswith("gemm") else (family,):
            text = (folder / f"{source}.cuh").read_text()
            if old and source == target:
                if text.count(old) != 1:
                    sys.exit(f"make_mutants: {name}: {text.count(old)} places in {source}.cuh match {old!r}, expected 1")
                text = text.replace(old, new)
            body += stripped(text)
        out.append(f"namespace {family}_{name} {{\n{body}}}\n")
    out.append(f"const std::vector<PlantedBug> {family}Bugs = {{\n")
    for name, layouts, _, _, _, how in mutants:
        flags = ", ".join("true" if layout == "K" else "false" for layout in layouts) if family.startswith("gemm") else layouts
        out.append(f'    {{"{name}", Caught::{how}, {runner(f"{family}_{name}", flags)}}},\n')
    out.append("};\n")


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out = ["// Written by make_mutants.py: broken copies of the GEMM templates.\n"]
    write_family(out, folder, "gemm_mma", MMA, lambda space, flags: (
        f"runPlanted<gc_bfloat, {flags}, {space}::gc_mma_config, "
        f"{space}::gc_gemm_mma<BiasGelu<gc_bfloat, {flags}, {space}::gc_gemm_problem>, gc_bfloat, {flags}>>"))
    write_family(out, folder, "gemm_fma", FMA, lambda space, flags: (
        f"runPlanted<float, {flags}, {space}::gc_fma_config, "
        f"{space}::gc_gemm_fma<BiasGelu<float, {flags}, {space}::gc_gemm_problem>, {flags}>>"))
    write_family(out, folder, "row_reduce", ROWS, lambda space, group: (
        f"runPlantedRows<{space}::gc_rows<SoftmaxRow, {group}, 256>, softmaxReference>"))
    write_family(out, folder, "pointwise", POINTWISE, lambda space, threads: (
        f"runPlantedRows<{space}::gc_pointwise<ScaleElement, {threads}>, scaleReference>"))
    output.write_text("".join(out))


if __name__ == "__main__":
    main()
