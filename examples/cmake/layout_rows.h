/* Rows of layout.c, made from biostream.h by tests/layout.awk: do not edit. */
/* clang-format off */

typedef struct {
    char before;
    biost_error it;
} probe_biost_error;
typedef struct {
    char before;
    biost_stats it;
} probe_biost_stats;
typedef struct {
    char before;
    biost_record it;
} probe_biost_record;
typedef struct {
    char before;
    biost_run it;
} probe_biost_run;
typedef struct {
    char before;
    biost_record_row it;
} probe_biost_record_row;
typedef struct {
    char before;
    biost_record_page it;
} probe_biost_record_page;
typedef struct {
    char before;
    biost_tensor it;
} probe_biost_tensor;
typedef struct {
    char before;
    biost_row it;
} probe_biost_row;
typedef struct {
    char before;
    biost_batch it;
} probe_biost_batch;
typedef struct {
    char before;
    biost_text_progress it;
} probe_biost_text_progress;
typedef struct {
    char before;
    biost_parallel_gzip_counters it;
} probe_biost_parallel_gzip_counters;
typedef struct {
    char before;
    biost_record_progress it;
} probe_biost_record_progress;
typedef struct {
    char before;
    biost_page it;
} probe_biost_page;
typedef struct {
    char before;
    biost_line it;
} probe_biost_line;
typedef struct {
    char before;
    biost_feature_set it;
} probe_biost_feature_set;
typedef struct {
    char before;
    biost_progress it;
} probe_biost_progress;
typedef struct {
    char before;
    biost_stage_counters it;
} probe_biost_stage_counters;
typedef struct {
    char before;
    biost_counters it;
} probe_biost_counters;
typedef struct {
    char before;
    biost_allocator it;
} probe_biost_allocator;
typedef struct {
    char before;
    biost_random it;
} probe_biost_random;
typedef struct {
    char before;
    biost_sample it;
} probe_biost_sample;
typedef struct {
    char before;
    biost_interval it;
} probe_biost_interval;
typedef struct {
    char before;
    biost_group it;
} probe_biost_group;
typedef struct {
    char before;
    biost_loader_desc it;
} probe_biost_loader_desc;
typedef struct {
    char before;
    biost_index_info it;
} probe_biost_index_info;
typedef struct {
    char before;
    biost_store_desc it;
} probe_biost_store_desc;
typedef struct {
    char before;
    biost_store_info it;
} probe_biost_store_info;
typedef struct {
    char before;
    biost_store_sequence it;
} probe_biost_store_sequence;
typedef struct {
    char before;
    biost_field it;
} probe_biost_field;
typedef struct {
    char before;
    biost_desc_memory it;
} probe_biost_desc_memory;

static const layout_row layout_rows[] = {
    {"biost_error", NULL, offsetof(probe_biost_error, it), sizeof(biost_error), 0, 0},
    {"code", "biost_result", offsetof(biost_error, code), sizeof(((biost_error *)0)->code), 0, 1},
    {"fault", "biost_fault", offsetof(biost_error, fault), sizeof(((biost_error *)0)->fault), 0, 1},
    {"path_index", "u32", offsetof(biost_error, path_index), sizeof(((biost_error *)0)->path_index), 0, 0},
    {"os_error", "i32", offsetof(biost_error, os_error), sizeof(((biost_error *)0)->os_error), 0, 0},
    {"record", "u64", offsetof(biost_error, record), sizeof(((biost_error *)0)->record), 0, 0},
    {"line", "u64", offsetof(biost_error, line), sizeof(((biost_error *)0)->line), 0, 0},
    {"text_offset", "u64", offsetof(biost_error, text_offset), sizeof(((biost_error *)0)->text_offset), 0, 0},
    {"source_offset", "u64", offsetof(biost_error, source_offset), sizeof(((biost_error *)0)->source_offset), 0, 0},
    {"text", "char", offsetof(biost_error, text), sizeof(((biost_error *)0)->text), 256, 0},
    {"biost_stats", NULL, offsetof(probe_biost_stats, it), sizeof(biost_stats), 0, 0},
    {"qual_sum", "u64", offsetof(biost_stats, qual_sum), sizeof(((biost_stats *)0)->qual_sum), 0, 0},
    {"error_sum", "u64", offsetof(biost_stats, error_sum), sizeof(((biost_stats *)0)->error_sum), 0, 0},
    {"acgt_count", "u64", offsetof(biost_stats, acgt_count), sizeof(((biost_stats *)0)->acgt_count), 0, 0},
    {"gc_count", "u64", offsetof(biost_stats, gc_count), sizeof(((biost_stats *)0)->gc_count), 0, 0},
    {"n_count", "u64", offsetof(biost_stats, n_count), sizeof(((biost_stats *)0)->n_count), 0, 0},
    {"qual_min", "u32", offsetof(biost_stats, qual_min), sizeof(((biost_stats *)0)->qual_min), 0, 0},
    {"qual_max", "u32", offsetof(biost_stats, qual_max), sizeof(((biost_stats *)0)->qual_max), 0, 0},
    {"biost_record", NULL, offsetof(probe_biost_record, it), sizeof(biost_record), 0, 0},
    {"title", "pointer", offsetof(biost_record, title), sizeof(((biost_record *)0)->title), 0, 0},
    {"name", "pointer", offsetof(biost_record, name), sizeof(((biost_record *)0)->name), 0, 0},
    {"comment", "pointer", offsetof(biost_record, comment), sizeof(((biost_record *)0)->comment), 0, 0},
    {"seq", "pointer", offsetof(biost_record, seq), sizeof(((biost_record *)0)->seq), 0, 0},
    {"qual", "pointer", offsetof(biost_record, qual), sizeof(((biost_record *)0)->qual), 0, 0},
    {"title_bytes", "size", offsetof(biost_record, title_bytes), sizeof(((biost_record *)0)->title_bytes), 0, 0},
    {"name_bytes", "size", offsetof(biost_record, name_bytes), sizeof(((biost_record *)0)->name_bytes), 0, 0},
    {"comment_bytes", "size", offsetof(biost_record, comment_bytes), sizeof(((biost_record *)0)->comment_bytes), 0, 0},
    {"seq_bases", "size", offsetof(biost_record, seq_bases), sizeof(((biost_record *)0)->seq_bases), 0, 0},
    {"id", "u64", offsetof(biost_record, id), sizeof(((biost_record *)0)->id), 0, 0},
    {"line", "u64", offsetof(biost_record, line), sizeof(((biost_record *)0)->line), 0, 0},
    {"text_offset", "u64", offsetof(biost_record, text_offset), sizeof(((biost_record *)0)->text_offset), 0, 0},
    {"stats", "pointer", offsetof(biost_record, stats), sizeof(((biost_record *)0)->stats), 0, 0},
    {"biost_run", NULL, offsetof(probe_biost_run, it), sizeof(biost_run), 0, 0},
    {"record", "biost_record", offsetof(biost_run, record), sizeof(((biost_run *)0)->record), 0, 0},
    {"start_base", "u64", offsetof(biost_run, start_base), sizeof(((biost_run *)0)->start_base), 0, 0},
    {"is_first", "int", offsetof(biost_run, is_first), sizeof(((biost_run *)0)->is_first), 0, 0},
    {"is_last", "int", offsetof(biost_run, is_last), sizeof(((biost_run *)0)->is_last), 0, 0},
    {"biost_record_row", NULL, offsetof(probe_biost_record_row, it), sizeof(biost_record_row), 0, 0},
    {"start", "u32", offsetof(biost_record_row, start), sizeof(((biost_record_row *)0)->start), 0, 0},
    {"title_bytes", "u32", offsetof(biost_record_row, title_bytes), sizeof(((biost_record_row *)0)->title_bytes), 0, 0},
    {"seq", "u32", offsetof(biost_record_row, seq), sizeof(((biost_record_row *)0)->seq), 0, 0},
    {"bases", "u32", offsetof(biost_record_row, bases), sizeof(((biost_record_row *)0)->bases), 0, 0},
    {"qual", "u32", offsetof(biost_record_row, qual), sizeof(((biost_record_row *)0)->qual), 0, 0},
    {"line", "u32", offsetof(biost_record_row, line), sizeof(((biost_record_row *)0)->line), 0, 0},
    {"text_offset", "u32", offsetof(biost_record_row, text_offset), sizeof(((biost_record_row *)0)->text_offset), 0, 0},
    {"flags", "u32", offsetof(biost_record_row, flags), sizeof(((biost_record_row *)0)->flags), 0, 0},
    {"biost_record_page", NULL, offsetof(probe_biost_record_page, it), sizeof(biost_record_page), 0, 0},
    {"text", "pointer", offsetof(biost_record_page, text), sizeof(((biost_record_page *)0)->text), 0, 0},
    {"rows", "pointer", offsetof(biost_record_page, rows), sizeof(((biost_record_page *)0)->rows), 0, 0},
    {"stats", "pointer", offsetof(biost_record_page, stats), sizeof(((biost_record_page *)0)->stats), 0, 0},
    {"row_count", "u32", offsetof(biost_record_page, row_count), sizeof(((biost_record_page *)0)->row_count), 0, 0},
    {"terminated", "int", offsetof(biost_record_page, terminated), sizeof(((biost_record_page *)0)->terminated), 0, 0},
    {"format", "biost_format", offsetof(biost_record_page, format), sizeof(((biost_record_page *)0)->format), 0, 1},
    {"id", "u64", offsetof(biost_record_page, id), sizeof(((biost_record_page *)0)->id), 0, 0},
    {"line", "u64", offsetof(biost_record_page, line), sizeof(((biost_record_page *)0)->line), 0, 0},
    {"text_offset", "u64", offsetof(biost_record_page, text_offset), sizeof(((biost_record_page *)0)->text_offset), 0, 0},
    {"start_base", "u64", offsetof(biost_record_page, start_base), sizeof(((biost_record_page *)0)->start_base), 0, 0},
    {"slot", "u32", offsetof(biost_record_page, slot), sizeof(((biost_record_page *)0)->slot), 0, 0},
    {"generation", "u32", offsetof(biost_record_page, generation), sizeof(((biost_record_page *)0)->generation), 0, 0},
    {"biost_tensor", NULL, offsetof(probe_biost_tensor, it), sizeof(biost_tensor), 0, 0},
    {"data", "pointer", offsetof(biost_tensor, data), sizeof(((biost_tensor *)0)->data), 0, 0},
    {"bytes", "u64", offsetof(biost_tensor, bytes), sizeof(((biost_tensor *)0)->bytes), 0, 0},
    {"shape", "i64", offsetof(biost_tensor, shape), sizeof(((biost_tensor *)0)->shape), 4, 0},
    {"strides", "i64", offsetof(biost_tensor, strides), sizeof(((biost_tensor *)0)->strides), 4, 0},
    {"ndim", "u32", offsetof(biost_tensor, ndim), sizeof(((biost_tensor *)0)->ndim), 0, 0},
    {"dtype", "biost_dtype", offsetof(biost_tensor, dtype), sizeof(((biost_tensor *)0)->dtype), 0, 1},
    {"role", "biost_role", offsetof(biost_tensor, role), sizeof(((biost_tensor *)0)->role), 0, 1},
    {"device", "i32", offsetof(biost_tensor, device), sizeof(((biost_tensor *)0)->device), 0, 0},
    {"mate", "u32", offsetof(biost_tensor, mate), sizeof(((biost_tensor *)0)->mate), 0, 0},
    {"layout", "char", offsetof(biost_tensor, layout), sizeof(((biost_tensor *)0)->layout), 8, 0},
    {"biost_row", NULL, offsetof(probe_biost_row, it), sizeof(biost_row), 0, 0},
    {"id", "i64", offsetof(biost_row, id), sizeof(((biost_row *)0)->id), 0, 0},
    {"start_base", "i64", offsetof(biost_row, start_base), sizeof(((biost_row *)0)->start_base), 0, 0},
    {"piece", "u32", offsetof(biost_row, piece), sizeof(((biost_row *)0)->piece), 0, 0},
    {"flags", "u32", offsetof(biost_row, flags), sizeof(((biost_row *)0)->flags), 0, 0},
    {"pass", "u32", offsetof(biost_row, pass), sizeof(((biost_row *)0)->pass), 0, 0},
    {"group", "u16", offsetof(biost_row, group), sizeof(((biost_row *)0)->group), 0, 0},
    {"mate", "u8", offsetof(biost_row, mate), sizeof(((biost_row *)0)->mate), 0, 0},
    {"strand", "u8", offsetof(biost_row, strand), sizeof(((biost_row *)0)->strand), 0, 0},
    {"biost_batch", NULL, offsetof(probe_biost_batch, it), sizeof(biost_batch), 0, 0},
    {"epoch", "u64", offsetof(biost_batch, epoch), sizeof(((biost_batch *)0)->epoch), 0, 0},
    {"index", "u64", offsetof(biost_batch, index), sizeof(((biost_batch *)0)->index), 0, 0},
    {"rows", "u32", offsetof(biost_batch, rows), sizeof(((biost_batch *)0)->rows), 0, 0},
    {"valid_rows", "u32", offsetof(biost_batch, valid_rows), sizeof(((biost_batch *)0)->valid_rows), 0, 0},
    {"flags", "u32", offsetof(biost_batch, flags), sizeof(((biost_batch *)0)->flags), 0, 0},
    {"tensor_count", "u32", offsetof(biost_batch, tensor_count), sizeof(((biost_batch *)0)->tensor_count), 0, 0},
    {"x", "biost_tensor", offsetof(biost_batch, x), sizeof(((biost_batch *)0)->x), 0, 0},
    {"tensors", "pointer", offsetof(biost_batch, tensors), sizeof(((biost_batch *)0)->tensors), 0, 0},
    {"samples", "u32", offsetof(biost_batch, samples), sizeof(((biost_batch *)0)->samples), 0, 0},
    {"mates", "u32", offsetof(biost_batch, mates), sizeof(((biost_batch *)0)->mates), 0, 0},
    {"row_samples", "pointer", offsetof(biost_batch, row_samples), sizeof(((biost_batch *)0)->row_samples), 0, 0},
    {"lengths", "pointer", offsetof(biost_batch, lengths), sizeof(((biost_batch *)0)->lengths), 0, 0},
    {"slab", "pointer", offsetof(biost_batch, slab), sizeof(((biost_batch *)0)->slab), 0, 0},
    {"slab_bytes", "u64", offsetof(biost_batch, slab_bytes), sizeof(((biost_batch *)0)->slab_bytes), 0, 0},
    {"origins", "pointer", offsetof(biost_batch, origins), sizeof(((biost_batch *)0)->origins), 0, 0},
    {"names", "pointer", offsetof(biost_batch, names), sizeof(((biost_batch *)0)->names), 0, 0},
    {"name_offsets", "pointer", offsetof(biost_batch, name_offsets), sizeof(((biost_batch *)0)->name_offsets), 0, 0},
    {"digest", "u64", offsetof(biost_batch, digest), sizeof(((biost_batch *)0)->digest), 0, 0},
    {"slot", "u32", offsetof(biost_batch, slot), sizeof(((biost_batch *)0)->slot), 0, 0},
    {"generation", "u32", offsetof(biost_batch, generation), sizeof(((biost_batch *)0)->generation), 0, 0},
    {"biost_text_progress", NULL, offsetof(probe_biost_text_progress, it), sizeof(biost_text_progress), 0, 0},
    {"source_bytes", "u64", offsetof(biost_text_progress, source_bytes), sizeof(((biost_text_progress *)0)->source_bytes), 0, 0},
    {"source_total_bytes", "u64", offsetof(biost_text_progress, source_total_bytes), sizeof(((biost_text_progress *)0)->source_total_bytes), 0, 0},
    {"text_bytes", "u64", offsetof(biost_text_progress, text_bytes), sizeof(((biost_text_progress *)0)->text_bytes), 0, 0},
    {"member_count", "u64", offsetof(biost_text_progress, member_count), sizeof(((biost_text_progress *)0)->member_count), 0, 0},
    {"block_count", "u64", offsetof(biost_text_progress, block_count), sizeof(((biost_text_progress *)0)->block_count), 0, 0},
    {"biost_parallel_gzip_counters", NULL, offsetof(probe_biost_parallel_gzip_counters, it), sizeof(biost_parallel_gzip_counters), 0, 0},
    {"ahead_count", "u64", offsetof(biost_parallel_gzip_counters, ahead_count), sizeof(((biost_parallel_gzip_counters *)0)->ahead_count), 0, 0},
    {"entered_count", "u64", offsetof(biost_parallel_gzip_counters, entered_count), sizeof(((biost_parallel_gzip_counters *)0)->entered_count), 0, 0},
    {"guessed_count", "u64", offsetof(biost_parallel_gzip_counters, guessed_count), sizeof(((biost_parallel_gzip_counters *)0)->guessed_count), 0, 0},
    {"accepted_count", "u64", offsetof(biost_parallel_gzip_counters, accepted_count), sizeof(((biost_parallel_gzip_counters *)0)->accepted_count), 0, 0},
    {"redecoded_count", "u64", offsetof(biost_parallel_gzip_counters, redecoded_count), sizeof(((biost_parallel_gzip_counters *)0)->redecoded_count), 0, 0},
    {"biost_record_progress", NULL, offsetof(probe_biost_record_progress, it), sizeof(biost_record_progress), 0, 0},
    {"source_bytes", "u64", offsetof(biost_record_progress, source_bytes), sizeof(((biost_record_progress *)0)->source_bytes), 0, 0},
    {"source_total_bytes", "u64", offsetof(biost_record_progress, source_total_bytes), sizeof(((biost_record_progress *)0)->source_total_bytes), 0, 0},
    {"text_bytes", "u64", offsetof(biost_record_progress, text_bytes), sizeof(((biost_record_progress *)0)->text_bytes), 0, 0},
    {"record_count", "u64", offsetof(biost_record_progress, record_count), sizeof(((biost_record_progress *)0)->record_count), 0, 0},
    {"skipped_count", "u64", offsetof(biost_record_progress, skipped_count), sizeof(((biost_record_progress *)0)->skipped_count), 0, 0},
    {"skipped_lines", "u64", offsetof(biost_record_progress, skipped_lines), sizeof(((biost_record_progress *)0)->skipped_lines), 0, 0},
    {"skipped_gaps", "u64", offsetof(biost_record_progress, skipped_gaps), sizeof(((biost_record_progress *)0)->skipped_gaps), 0, 0},
    {"blank_count", "u64", offsetof(biost_record_progress, blank_count), sizeof(((biost_record_progress *)0)->blank_count), 0, 0},
    {"biost_page", NULL, offsetof(probe_biost_page, it), sizeof(biost_page), 0, 0},
    {"text", "pointer", offsetof(biost_page, text), sizeof(((biost_page *)0)->text), 0, 0},
    {"text_bytes", "size", offsetof(biost_page, text_bytes), sizeof(((biost_page *)0)->text_bytes), 0, 0},
    {"text_offset", "u64", offsetof(biost_page, text_offset), sizeof(((biost_page *)0)->text_offset), 0, 0},
    {"biost_line", NULL, offsetof(probe_biost_line, it), sizeof(biost_line), 0, 0},
    {"text", "pointer", offsetof(biost_line, text), sizeof(((biost_line *)0)->text), 0, 0},
    {"text_bytes", "size", offsetof(biost_line, text_bytes), sizeof(((biost_line *)0)->text_bytes), 0, 0},
    {"text_offset", "u64", offsetof(biost_line, text_offset), sizeof(((biost_line *)0)->text_offset), 0, 0},
    {"biost_feature_set", NULL, offsetof(probe_biost_feature_set, it), sizeof(biost_feature_set), 0, 0},
    {"version", "u32", offsetof(biost_feature_set, version), sizeof(((biost_feature_set *)0)->version), 0, 0},
    {"has_libdeflate", "u32", offsetof(biost_feature_set, has_libdeflate), sizeof(((biost_feature_set *)0)->has_libdeflate), 0, 0},
    {"cpu", "u32", offsetof(biost_feature_set, cpu), sizeof(((biost_feature_set *)0)->cpu), 0, 0},
    {"text", "pointer", offsetof(biost_feature_set, text), sizeof(((biost_feature_set *)0)->text), 0, 0},
    {"biost_progress", NULL, offsetof(probe_biost_progress, it), sizeof(biost_progress), 0, 0},
    {"source_bytes", "u64", offsetof(biost_progress, source_bytes), sizeof(((biost_progress *)0)->source_bytes), 0, 0},
    {"source_total_bytes", "u64", offsetof(biost_progress, source_total_bytes), sizeof(((biost_progress *)0)->source_total_bytes), 0, 0},
    {"text_bytes", "u64", offsetof(biost_progress, text_bytes), sizeof(((biost_progress *)0)->text_bytes), 0, 0},
    {"record_count", "u64", offsetof(biost_progress, record_count), sizeof(((biost_progress *)0)->record_count), 0, 0},
    {"sample_count", "u64", offsetof(biost_progress, sample_count), sizeof(((biost_progress *)0)->sample_count), 0, 0},
    {"filtered_count", "u64", offsetof(biost_progress, filtered_count), sizeof(((biost_progress *)0)->filtered_count), 0, 0},
    {"dropped", "u64", offsetof(biost_progress, dropped), sizeof(((biost_progress *)0)->dropped), BIOST_DROP_COUNT, 0},
    {"border_count", "u64", offsetof(biost_progress, border_count), sizeof(((biost_progress *)0)->border_count), 0, 0},
    {"skipped_count", "u64", offsetof(biost_progress, skipped_count), sizeof(((biost_progress *)0)->skipped_count), 0, 0},
    {"skipped_lines", "u64", offsetof(biost_progress, skipped_lines), sizeof(((biost_progress *)0)->skipped_lines), 0, 0},
    {"skipped_gaps", "u64", offsetof(biost_progress, skipped_gaps), sizeof(((biost_progress *)0)->skipped_gaps), 0, 0},
    {"tail_dropped_rows", "u64", offsetof(biost_progress, tail_dropped_rows), sizeof(((biost_progress *)0)->tail_dropped_rows), 0, 0},
    {"row_count", "u64", offsetof(biost_progress, row_count), sizeof(((biost_progress *)0)->row_count), 0, 0},
    {"pass_count", "u64", offsetof(biost_progress, pass_count), sizeof(((biost_progress *)0)->pass_count), 0, 0},
    {"biost_stage_counters", NULL, offsetof(probe_biost_stage_counters, it), sizeof(biost_stage_counters), 0, 0},
    {"busy_ns", "u64", offsetof(biost_stage_counters, busy_ns), sizeof(((biost_stage_counters *)0)->busy_ns), 0, 0},
    {"waiting_ns", "u64", offsetof(biost_stage_counters, waiting_ns), sizeof(((biost_stage_counters *)0)->waiting_ns), 0, 0},
    {"unit_count", "u64", offsetof(biost_stage_counters, unit_count), sizeof(((biost_stage_counters *)0)->unit_count), 0, 0},
    {"bytes", "u64", offsetof(biost_stage_counters, bytes), sizeof(((biost_stage_counters *)0)->bytes), 0, 0},
    {"record_count", "u64", offsetof(biost_stage_counters, record_count), sizeof(((biost_stage_counters *)0)->record_count), 0, 0},
    {"biost_counters", NULL, offsetof(probe_biost_counters, it), sizeof(biost_counters), 0, 0},
    {"stages", "biost_stage_counters", offsetof(biost_counters, stages), sizeof(((biost_counters *)0)->stages), BIOST_STAGE_COUNT, 0},
    {"elapsed_ns", "u64", offsetof(biost_counters, elapsed_ns), sizeof(((biost_counters *)0)->elapsed_ns), 0, 0},
    {"slots_full_ns", "u64", offsetof(biost_counters, slots_full_ns), sizeof(((biost_counters *)0)->slots_full_ns), 0, 0},
    {"workers", "u32", offsetof(biost_counters, workers), sizeof(((biost_counters *)0)->workers), 0, 0},
    {"biost_allocator", NULL, offsetof(probe_biost_allocator, it), sizeof(biost_allocator), 0, 0},
    {"alloc", "pointer", offsetof(biost_allocator, alloc), sizeof(((biost_allocator *)0)->alloc), 0, 0},
    {"free", "pointer", offsetof(biost_allocator, free), sizeof(((biost_allocator *)0)->free), 0, 0},
    {"user_data", "pointer", offsetof(biost_allocator, user_data), sizeof(((biost_allocator *)0)->user_data), 0, 0},
    {"biost_random", NULL, offsetof(probe_biost_random, it), sizeof(biost_random), 0, 0},
    {"key", "u32", offsetof(biost_random, key), sizeof(((biost_random *)0)->key), 2, 0},
    {"counter", "u32", offsetof(biost_random, counter), sizeof(((biost_random *)0)->counter), 4, 0},
    {"words", "u32", offsetof(biost_random, words), sizeof(((biost_random *)0)->words), 4, 0},
    {"left", "u32", offsetof(biost_random, left), sizeof(((biost_random *)0)->left), 0, 0},
    {"biost_sample", NULL, offsetof(probe_biost_sample, it), sizeof(biost_sample), 0, 0},
    {"seq", "pointer", offsetof(biost_sample, seq), sizeof(((biost_sample *)0)->seq), 0, 0},
    {"qual", "pointer", offsetof(biost_sample, qual), sizeof(((biost_sample *)0)->qual), 0, 0},
    {"bases", "u32", offsetof(biost_sample, bases), sizeof(((biost_sample *)0)->bases), 0, 0},
    {"piece", "u32", offsetof(biost_sample, piece), sizeof(((biost_sample *)0)->piece), 0, 0},
    {"flags", "u32", offsetof(biost_sample, flags), sizeof(((biost_sample *)0)->flags), 0, 0},
    {"id", "i64", offsetof(biost_sample, id), sizeof(((biost_sample *)0)->id), 0, 0},
    {"start_base", "i64", offsetof(biost_sample, start_base), sizeof(((biost_sample *)0)->start_base), 0, 0},
    {"biost_interval", NULL, offsetof(probe_biost_interval, it), sizeof(biost_interval), 0, 0},
    {"sequence", "u64", offsetof(biost_interval, sequence), sizeof(((biost_interval *)0)->sequence), 0, 0},
    {"start", "i64", offsetof(biost_interval, start), sizeof(((biost_interval *)0)->start), 0, 0},
    {"end", "i64", offsetof(biost_interval, end), sizeof(((biost_interval *)0)->end), 0, 0},
    {"label", "f64", offsetof(biost_interval, label), sizeof(((biost_interval *)0)->label), 0, 0},
    {"strand", "u32", offsetof(biost_interval, strand), sizeof(((biost_interval *)0)->strand), 0, 0},
    {"summit", "u32", offsetof(biost_interval, summit), sizeof(((biost_interval *)0)->summit), 0, 0},
    {"biost_group", NULL, offsetof(probe_biost_group, it), sizeof(biost_group), 0, 0},
    {"name", "pointer", offsetof(biost_group, name), sizeof(((biost_group *)0)->name), 0, 0},
    {"first_input", "u32", offsetof(biost_group, first_input), sizeof(((biost_group *)0)->first_input), 0, 0},
    {"input_count", "u32", offsetof(biost_group, input_count), sizeof(((biost_group *)0)->input_count), 0, 0},
    {"weight", "u32", offsetof(biost_group, weight), sizeof(((biost_group *)0)->weight), 0, 0},
    {"label", "f64", offsetof(biost_group, label), sizeof(((biost_group *)0)->label), 0, 0},
    {"store", "pointer", offsetof(biost_group, store), sizeof(((biost_group *)0)->store), 0, 0},
    {"regions", "pointer", offsetof(biost_group, regions), sizeof(((biost_group *)0)->regions), 0, 0},
    {"biost_loader_desc", NULL, offsetof(probe_biost_loader_desc, it), sizeof(biost_loader_desc), 0, 0},
    {"biost_index_info", NULL, offsetof(probe_biost_index_info, it), sizeof(biost_index_info), 0, 0},
    {"point_count", "u64", offsetof(biost_index_info, point_count), sizeof(((biost_index_info *)0)->point_count), 0, 0},
    {"source_bytes", "u64", offsetof(biost_index_info, source_bytes), sizeof(((biost_index_info *)0)->source_bytes), 0, 0},
    {"text_bytes", "u64", offsetof(biost_index_info, text_bytes), sizeof(((biost_index_info *)0)->text_bytes), 0, 0},
    {"record_count", "u64", offsetof(biost_index_info, record_count), sizeof(((biost_index_info *)0)->record_count), 0, 0},
    {"spacing_bytes", "u64", offsetof(biost_index_info, spacing_bytes), sizeof(((biost_index_info *)0)->spacing_bytes), 0, 0},
    {"memory_bytes", "u64", offsetof(biost_index_info, memory_bytes), sizeof(((biost_index_info *)0)->memory_bytes), 0, 0},
    {"is_complete", "int", offsetof(biost_index_info, is_complete), sizeof(((biost_index_info *)0)->is_complete), 0, 0},
    {"has_records", "int", offsetof(biost_index_info, has_records), sizeof(((biost_index_info *)0)->has_records), 0, 0},
    {"biost_store_desc", NULL, offsetof(probe_biost_store_desc, it), sizeof(biost_store_desc), 0, 0},
    {"biost_store_info", NULL, offsetof(probe_biost_store_info, it), sizeof(biost_store_info), 0, 0},
    {"sequence_count", "u64", offsetof(biost_store_info, sequence_count), sizeof(((biost_store_info *)0)->sequence_count), 0, 0},
    {"base_count", "u64", offsetof(biost_store_info, base_count), sizeof(((biost_store_info *)0)->base_count), 0, 0},
    {"input_count", "u64", offsetof(biost_store_info, input_count), sizeof(((biost_store_info *)0)->input_count), 0, 0},
    {"longest_bases", "u64", offsetof(biost_store_info, longest_bases), sizeof(((biost_store_info *)0)->longest_bases), 0, 0},
    {"lower_bases", "u64", offsetof(biost_store_info, lower_bases), sizeof(((biost_store_info *)0)->lower_bases), 0, 0},
    {"n_bases", "u64", offsetof(biost_store_info, n_bases), sizeof(((biost_store_info *)0)->n_bases), 0, 0},
    {"other_bases", "u64", offsetof(biost_store_info, other_bases), sizeof(((biost_store_info *)0)->other_bases), 0, 0},
    {"table_bytes", "u64", offsetof(biost_store_info, table_bytes), sizeof(((biost_store_info *)0)->table_bytes), 0, 0},
    {"base_bytes", "u64", offsetof(biost_store_info, base_bytes), sizeof(((biost_store_info *)0)->base_bytes), 0, 0},
    {"list_bytes", "u64", offsetof(biost_store_info, list_bytes), sizeof(((biost_store_info *)0)->list_bytes), 0, 0},
    {"quality_bytes", "u64", offsetof(biost_store_info, quality_bytes), sizeof(((biost_store_info *)0)->quality_bytes), 0, 0},
    {"name_bytes", "u64", offsetof(biost_store_info, name_bytes), sizeof(((biost_store_info *)0)->name_bytes), 0, 0},
    {"file_bytes", "u64", offsetof(biost_store_info, file_bytes), sizeof(((biost_store_info *)0)->file_bytes), 0, 0},
    {"memory_bytes", "u64", offsetof(biost_store_info, memory_bytes), sizeof(((biost_store_info *)0)->memory_bytes), 0, 0},
    {"letters", "biost_store_letters", offsetof(biost_store_info, letters), sizeof(((biost_store_info *)0)->letters), 0, 1},
    {"names", "biost_store_names", offsetof(biost_store_info, names), sizeof(((biost_store_info *)0)->names), 0, 1},
    {"is_rna", "int", offsetof(biost_store_info, is_rna), sizeof(((biost_store_info *)0)->is_rna), 0, 0},
    {"has_quality", "int", offsetof(biost_store_info, has_quality), sizeof(((biost_store_info *)0)->has_quality), 0, 0},
    {"is_mapped", "int", offsetof(biost_store_info, is_mapped), sizeof(((biost_store_info *)0)->is_mapped), 0, 0},
    {"mates", "u32", offsetof(biost_store_info, mates), sizeof(((biost_store_info *)0)->mates), 0, 0},
    {"biost_store_sequence", NULL, offsetof(probe_biost_store_sequence, it), sizeof(biost_store_sequence), 0, 0},
    {"id", "i64", offsetof(biost_store_sequence, id), sizeof(((biost_store_sequence *)0)->id), 0, 0},
    {"bases", "u64", offsetof(biost_store_sequence, bases), sizeof(((biost_store_sequence *)0)->bases), 0, 0},
    {"title", "pointer", offsetof(biost_store_sequence, title), sizeof(((biost_store_sequence *)0)->title), 0, 0},
    {"title_bytes", "size", offsetof(biost_store_sequence, title_bytes), sizeof(((biost_store_sequence *)0)->title_bytes), 0, 0},
    {"stats", "biost_stats", offsetof(biost_store_sequence, stats), sizeof(((biost_store_sequence *)0)->stats), 0, 0},
    {"lower_count", "u64", offsetof(biost_store_sequence, lower_count), sizeof(((biost_store_sequence *)0)->lower_count), 0, 0},
    {"biost_field", NULL, offsetof(probe_biost_field, it), sizeof(biost_field), 0, 0},
    {"name", "pointer", offsetof(biost_field, name), sizeof(((biost_field *)0)->name), 0, 0},
    {"words", "pointer", offsetof(biost_field, words), sizeof(((biost_field *)0)->words), 0, 0},
    {"about", "pointer", offsetof(biost_field, about), sizeof(((biost_field *)0)->about), 0, 0},
    {"least", "i64", offsetof(biost_field, least), sizeof(((biost_field *)0)->least), 0, 0},
    {"most", "u64", offsetof(biost_field, most), sizeof(((biost_field *)0)->most), 0, 0},
    {"fallback", "u64", offsetof(biost_field, fallback), sizeof(((biost_field *)0)->fallback), 0, 0},
    {"offset", "u32", offsetof(biost_field, offset), sizeof(((biost_field *)0)->offset), 0, 0},
    {"bytes", "u32", offsetof(biost_field, bytes), sizeof(((biost_field *)0)->bytes), 0, 0},
    {"kind", "biost_field_kind", offsetof(biost_field, kind), sizeof(((biost_field *)0)->kind), 0, 1},
    {"mark", "biost_field_mark", offsetof(biost_field, mark), sizeof(((biost_field *)0)->mark), 0, 1},
    {"biost_desc_memory", NULL, offsetof(probe_biost_desc_memory, it), sizeof(biost_desc_memory), 0, 0},
};
