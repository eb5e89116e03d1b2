/*
 * fx_stores.h - stores among the files of a command line, and the regions of them that a loader shows.
 *
 * A file that begins as a store does, or whose name ends in .bst, is one. A store is all there is to read, or
 * all of a group of --group. Regions come from flags: a grid, with a list of the sequences it goes over, or
 * BED; names are looked up in the store, or in that of each group.
 *
 * Include it after biostream.h, fx.h and fx_bed.h. In order of use: fx_stores_plan, once the flags are read;
 * fx_stores_keep, if texts are to be stores; fx_stores_load; fx_stores_place; the loader; fx_stores_close.
 */
#ifndef FX_STORES_H
#define FX_STORES_H

enum { FX_STORES = 64 }; /* most groups of a loader */

/* The store of a group, or of a loader without groups. */
typedef struct fx_stored {
    const char *path; /* NULL: the group is text                                     */
    const char *bed;  /* the file of its intervals, or NULL                          */
    char *kept;       /* memory of `path`, if fx_stores_keep made it                 */
    biost_store *store;
    biost_regions regions; /* of desc.regions, with what its own lists say                */
    fx_bed intervals, listed;
} fx_stored;

typedef struct fx_stores {
    fx_stored of_group[FX_STORES];
    biost_group groups[FX_STORES]; /* those of the desc, with their stores                        */
    uint32_t count;                /* groups, or 1 if there are none; 0: no file is a store        */
} fx_stores;

/* What flags say of regions. */
typedef struct fx_places {
    fx_texts beds;         /* of --regions: BED, or GROUP=BED for one group; a later one wins     */
    fx_texts lists;        /* of --sequences, likewise                                            */
    fx_texts records;      /* of --records, likewise                                              */
    uint32_t label_column; /* 0: no label                                                         */
} fx_places;

/* ---- which files are stores ---- */

static inline int fx_is_store(const char *path) {
    static const char magic[] = "BIOSTST";
    size_t bytes = strlen(path);
    char begin[sizeof magic - 1];
    FILE *file;
    int is_store;
    if (bytes >= 4 && strcmp(path + bytes - 4, ".bst") == 0) {
        return 1;
    }
    file = fx_look(path, NULL) == FX_FILE ? fx_open(path, "rb") : NULL; /* a pipe is read once only */
    if (file == NULL) {
        return 0;
    }
    is_store = fread(begin, 1, sizeof begin, file) == sizeof begin && memcmp(begin, magic, sizeof begin) == 0;
    fclose(file);
    return is_store;
}

/* How many of the files are stores. */
static inline uint32_t fx_count_stores(char **files, uint32_t count) {
    uint32_t at, stores = 0;
    for (at = 0; at < count; ++at) {
        stores += fx_is_store(files[at]) ? 1 : 0;
    }
    return stores;
}

/*
 * The files of group g: its store, or texts, which move to the front of the files, where `texts` texts lie already.
 * A group of --desc that is a store says no input, and takes the next file. Returns how many texts there are then.
 */
static inline uint32_t fx_stores_plan_group(const fx_tool *tool, fx_stores *stores, uint32_t g, char **files,
                                            uint32_t first, uint32_t texts) {
    biost_group *group = &stores->groups[g];
    uint32_t at, count = group->input_count;
    if (fx_count_stores(files + first, count) == 0) {
        group->first_input = texts;
        for (at = 0; at < count; ++at) {
            files[texts++] = files[first + at];
        }
        return texts;
    }
    if (count > 1) {
        fx_usage(tool, "a group is one store, or files of text: --group ",
                 group->name != NULL ? group->name : "");
    }
    stores->of_group[g].path = files[first];
    group->first_input = 0;
    group->input_count = 0;
    return texts;
}

/*
 * Find the stores among `files`, and which group each is of. Ends the program on wrong usage. Texts move to
 * the front. Returns their number.
 */
static inline uint32_t fx_stores_plan(const fx_tool *tool, fx_stores *stores, const biost_loader_desc *desc,
                                      char **files, uint32_t file_count) {
    uint32_t g, texts = 0, next = 0;
    if (fx_count_stores(files, file_count) == 0) {
        return file_count;
    }
    stores->count = 1;
    if (desc->group_count == 0) {
        if (file_count > 1) {
            fx_usage(tool, "several stores, or one and other files, are groups: put --group NAME before ",
                     files[1]);
        }
        stores->of_group[0].path = files[0];
        return 0;
    }
    if (fx_count_inputs(files, file_count) > 0) {
        fx_usage(tool, "- (standard input) must be the only file", "");
    }
    stores->count = desc->group_count;
    for (g = 0; g < desc->group_count; ++g) {
        stores->groups[g] = desc->groups[g];
        stores->groups[g].input_count += desc->groups[g].input_count == 0 ? 1 : 0;
        if (stores->groups[g].input_count > file_count - next) {
            fx_usage(tool, "there are fewer files than the groups have", "");
        }
        texts = fx_stores_plan_group(tool, stores, g, files, next, texts);
        next += desc->groups[g].input_count > 0 ? desc->groups[g].input_count : 1;
    }
    if (next < file_count) {
        fx_usage(tool, "this file is in no group: ", files[next]);
    }
    return texts;
}

/* ---- stores that are built beside texts, once ---- */

/* Draw the bar of a store that is being built; it goes on. */
static inline int fx_store_draw(uint64_t record_count, uint64_t base_count, void *user_data) {
    fx_bar *bar = (fx_bar *)user_data;
    if (fx_bar_due(bar)) {
        fx_bar_draw(bar, 0, 0, base_count, record_count);
    }
    return 1;
}

/*
 * Where the store of these files is kept: DIR/NAME-HASH.bst, of the first one's name and FNV-1a of all their paths.
 * Returns memory to free, or NULL.
 */
static inline char *fx_store_path(const char *dir, const char *const *paths, uint32_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *name = paths[0], *at;
    char *path;
    size_t bytes;
    uint32_t i;
    for (i = 0; i < count; ++i) {
        for (at = paths[i];; ++at) { /* its NUL is hashed, too, so that ab c and a bc differ */
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
            if (*at == '\0') {
                break;
            }
        }
    }
    for (at = name; *at != '\0'; ++at) {
        name = *at == '/' || *at == '\\' || *at == ':' ? at + 1 : name;
    }
    bytes = strlen(dir) + strlen(name) + 32;
    path = (char *)malloc(bytes);
    if (path != NULL) {
        snprintf(path, bytes, "%s/%.*s-%016" PRIx64 ".bst", dir, (int)(fx_part_bytes(name)), name, hash);
    }
    return path;
}

/* Whether a file was written after the store that it became; then says so. */
static inline int fx_store_is_older(const char *program, const biost_store_desc *build) {
    const int64_t built = fx_written_at(build->save_path);
    uint32_t i = 0;
    while (i < build->path_count && fx_written_at(build->paths[i]) <= built) {
        ++i;
    }
    if (i < build->path_count) {
        fx_complain_of(program, build->paths[i], "was written after its store; the store is built now", NULL);
    }
    return i < build->path_count;
}

/* Whether the store at build->save_path is there, is that of the files, and has what is wanted; else says why not. */
static inline int fx_store_fits(const char *program, const biost_store_desc *build) {
    biost_store_desc own = *build;
    biost_store *store = NULL;
    biost_store_info info;
    biost_error error;
    biost_result result;
    if (fx_look(build->save_path, NULL) != FX_FILE || fx_store_is_older(program, build)) {
        return 0;
    }
    result = biost_store_load(build->save_path, NULL, &store, &error);
    if (result == BIOST_OK) {
        biost_store_info_of(store, &info);
        own.save_path = NULL;
        own.letters = info.letters;
        own.qualities = build->qualities || info.has_quality;
        result = biost_store_check(store, &own, &error);
        (void)biost_store_close(store, NULL);
    }
    if (result != BIOST_OK) {
        fprintf(stderr, "%s: %s; the store is built now\n", program, error.text);
    }
    return result == BIOST_OK;
}

/* Build a store, in two bits a base, or where that cannot be a byte a letter. Returns an exit code. */
static inline int fx_store_build(const char *program, biost_store_desc *build) {
    biost_store *store = NULL;
    biost_error error;
    biost_result result;
    fx_bar bar;
    fx_before_save(program, build->save_path);
    fx_bar_begin(&bar, build->save_path, 0);
    bar.unit = "Mb";
    build->progress = fx_store_draw;
    build->user_data = &bar;
    result = biost_store_build(build, &store, &error);
    if (result != BIOST_OK && build->letters == BIOST_STORE_DNA &&
        strstr(error.text, "BIOST_STORE_BYTES") != NULL) {
        build->letters = BIOST_STORE_BYTES;
        result = biost_store_build(build, &store, &error);
    }
    fx_bar_end(&bar);
    (void)biost_store_close(store, NULL);
    return result == BIOST_OK ? FX_OK : fx_fail(program, result, &error);
}

/* Keep the store of some files, with what the loader's desc asks of it. Returns an exit code. */
static inline int fx_store_keep(const char *program, const char *dir, const biost_loader_desc *desc,
                                const char *const *paths, uint32_t count, fx_stored *of) {
    const biost_filter *filter = &desc->filter;
    biost_store_desc build;
    of->path = of->kept = fx_store_path(dir, paths, count);
    if (of->path == NULL) {
        fx_complain(program, "out of memory");
        return FX_BAD_DATA;
    }
    memset(&build, 0, sizeof build);
    build.paths = paths;
    build.path_count = count;
    build.save_path = of->path;
    build.letters = desc->text.letters == BIOST_LETTERS_PROTEIN ? BIOST_STORE_BYTES : BIOST_STORE_DNA;
    build.qualities = desc->quality.kind != BIOST_QUALITY_NONE || filter->min_mean_quality > 0 ||
                      filter->max_error_rate > 0 || filter->min_base_quality > 0;
    build.duplicate_names = 1;
    build.mates = desc->mates;
    build.gzip = desc->gzip;
    build.text = desc->text;
    build.max_record_bytes = desc->max_record_bytes;
    build.workers = desc->workers > 0 ? desc->workers : fx_cores(8);
    return fx_store_fits(program, &build) ? FX_OK : fx_store_build(program, &build);
}

/*
 * Put a store in the place of all files of text of each group: that of --store-in, which is built if it is not there, or
 * is not that of the files any more. Returns an exit code.
 */
static inline int fx_stores_keep(const char *program, const char *dir, fx_stores *stores,
                                 biost_loader_desc *desc) {
    uint32_t g, count = desc->group_count > 0 ? desc->group_count : 1;
    int status = FX_OK;
    if (stores->count == 0 && desc->group_count > 0) {
        memcpy(stores->groups, desc->groups, count * sizeof *stores->groups);
    }
    stores->count = count;
    if (!fx_make_folder(dir) && errno != EEXIST) {
        fx_complain_of(program, dir, "cannot be made a folder", strerror(errno));
        return FX_BAD_DATA;
    }
    if (fx_look(dir, NULL) != FX_FOLDER) {
        fx_complain_of(program, dir, "is no folder: --store-in wants one, where stores are kept", NULL);
        return FX_USAGE;
    }
    for (g = 0; g < count && status == FX_OK; ++g) {
        biost_group *group = &stores->groups[g];
        if (stores->of_group[g].path == NULL) {
            status = fx_store_keep(program, dir, desc, desc->paths + group->first_input,
                                   desc->group_count > 0 ? group->input_count : desc->path_count,
                                   &stores->of_group[g]);
            group->first_input = group->input_count = 0;
        }
    }
    desc->paths = NULL;
    desc->path_count = 0;
    return status;
}

/* Open the stores, and give them to the desc. Returns an exit code; fx_stores_close in any case. */
static inline int fx_stores_load(const char *program, fx_stores *stores, biost_loader_desc *desc) {
    uint32_t g;
    for (g = 0; g < stores->count; ++g) {
        fx_stored *of = &stores->of_group[g];
        biost_error error;
        biost_result result = of->path != NULL ? biost_store_load(of->path, NULL, &of->store, &error)
                                               : BIOST_OK;
        if (result != BIOST_OK) {
            return fx_fail(program, result, &error);
        }
        stores->groups[g].store = of->store;
    }
    if (stores->count > 0 && desc->group_count == 0) {
        desc->store = stores->of_group[0].store;
    } else if (stores->count > 0) {
        desc->groups = stores->groups;
    }
    return FX_OK;
}

static inline void fx_stores_close(fx_stores *stores) {
    uint32_t g;
    for (g = 0; g < stores->count; ++g) {
        (void)biost_store_close(stores->of_group[g].store, NULL);
        free(stores->of_group[g].kept);
        fx_bed_free(&stores->of_group[g].intervals);
        fx_bed_free(&stores->of_group[g].listed);
    }
}

/* ---- names of a store ---- */

static inline int fx_store_find(const char *name, size_t bytes, uint64_t *out_number, void *user_data) {
    return biost_store_find((const biost_store *)user_data, name, bytes, out_number) == BIOST_OK;
}

static inline int fx_store_find_again(uint64_t number, uint64_t *out_number, void *user_data) {
    return biost_store_find_again((const biost_store *)user_data, number, out_number) == BIOST_OK;
}

/* The same of pairs, whose mates may have one name. */
static inline int fx_store_find_pair(const char *name, size_t bytes, uint64_t *out_number, void *user_data) {
    const int is_found = fx_store_find(name, bytes, out_number, user_data);
    *out_number /= 2;
    return is_found;
}

static inline int fx_store_find_pair_again(uint64_t number, uint64_t *out_number, void *user_data) {
    uint64_t record = 2 * number;
    while (biost_store_find_again((const biost_store *)user_data, record, &record) == BIOST_OK) {
        if (record / 2 != number) {
            *out_number = record / 2;
            return 1;
        }
    }
    return 0;
}

/* The first word of a title; NULL behind the last sequence. */
static inline const char *fx_store_name_of(uint64_t number, size_t *out_bytes, void *user_data) {
    biost_store_sequence sequence;
    const char *name, *end;
    if (biost_store_get((const biost_store *)user_data, number, &sequence) != BIOST_OK) {
        return NULL;
    }
    name = sequence.title_bytes > 0 ? sequence.title : "";
    for (end = name + sequence.title_bytes; name < end && (*name == ' ' || *name == '\t'); ++name) {
    }
    for (*out_bytes = 0; name + *out_bytes < end; ++*out_bytes) {
        if (name[*out_bytes] == ' ' || name[*out_bytes] == '\t') {
            break;
        }
    }
    return name;
}

static inline uint64_t fx_store_bases_of(uint64_t number, void *user_data) {
    biost_store_sequence sequence;
    return biost_store_get((const biost_store *)user_data, number, &sequence) == BIOST_OK ? sequence.bases
                                                                                          : 0;
}

/* Bytes of the longest name in any of the stores. */
static inline size_t fx_stores_longest_name(const fx_stores *stores) {
    size_t longest = 0, bytes;
    uint64_t number;
    uint32_t g;
    for (g = 0; g < stores->count; ++g) {
        void *store = stores->of_group[g].store;
        for (number = 0; store != NULL && fx_store_name_of(number, &bytes, store) != NULL; ++number) {
            longest = bytes > longest ? bytes : longest;
        }
    }
    return longest;
}

/* ---- regions ---- */

/* The file that a flag names for group g: the last for it alone, else the last for all; NULL: none. */
static inline const char *fx_places_of(const fx_texts *given, const fx_stores *stores, uint32_t group_count,
                                       uint32_t g) {
    const char *of_all = NULL, *of_one = NULL;
    uint32_t at, k;
    for (at = 0; at < given->count; ++at) {
        const char *text = given->texts[at];
        size_t bytes = strcspn(text, "=");
        for (k = 0; k < group_count; ++k) {
            const char *name = stores->groups[k].name != NULL ? stores->groups[k].name : "";
            if (text[bytes] == '=' && strlen(name) == bytes && memcmp(name, text, bytes) == 0) {
                break;
            }
        }
        if (k == group_count) {
            of_all = text;
        } else if (k == g) {
            of_one = text + bytes + 1;
        }
    }
    return of_one != NULL ? of_one : of_all;
}

/* Read lines of a file into `out`. Returns an exit code, after a sentence. */
static inline int fx_places_read(const char *program, const char *path, fx_stored *of, fx_bed_take_line take,
                                 const fx_bed_wish *wish, fx_bed *out) {
    biost_stream_desc input;
    biost_store_info info;
    memset(&input, 0, sizeof input);
    input.path = path;
    biost_store_info_of(of->store, &info);
    if (info.names == BIOST_STORE_NO_NAMES && take != fx_bed_take_record) {
        fx_complain_of(program, of->path, "has no names: no sequence of it can be found for", path);
        return FX_BAD_DATA;
    }
    if (fx_bed_lines(&input, wish, take, out)) {
        if (out->count > 0) {
            return FX_OK;
        }
        fx_complain_of(program, path, "has no line that names a sequence", NULL);
    } else if (strncmp(out->error, "line ", 5) == 0) {
        fflush(stdout);
        fprintf(stderr, "%s: ", program);
        fx_print_name(stderr, path);
        fprintf(stderr, ": %s\n", out->error);
    } else {
        fx_complain(program, out->error); /* it names the file */
    }
    return FX_BAD_DATA;
}

/* The regions of one store, as desc.regions and the files have them. Returns an exit code. */
static inline int fx_places_take(const char *program, const fx_places *places, const biost_loader_desc *desc,
                                 fx_stored *of, const char *bed, const char *list, const char *records) {
    fx_bed_wish wish;
    int status = FX_OK;
    memset(&wish, 0, sizeof wish);
    wish.names.find = desc->mates == 2 ? fx_store_find_pair : fx_store_find;
    wish.names.again = desc->mates == 2 ? fx_store_find_pair_again : fx_store_find_again;
    wish.names.name_of = fx_store_name_of;
    wish.names.bases_of = fx_store_bases_of;
    wish.names.user_data = of->store;
    wish.label_column = places->label_column;
    wish.label_dtype = desc->labels.dtype;
    wish.edge = desc->regions.edge;
    wish.fit = desc->regions.fit;
    of->regions = desc->regions;
    if (bed == NULL && desc->regions.kind == BIOST_REGIONS_INTERVALS) {
        fx_complain_of(program, of->path, "has no --regions", "give BED, or GROUP=BED for its group");
        return FX_USAGE;
    }
    if (bed != NULL) {
        of->bed = bed;
        status = fx_places_read(program, bed, of, fx_bed_take, &wish, &of->intervals);
        of->regions.kind = BIOST_REGIONS_INTERVALS;
        of->regions.intervals = of->intervals.intervals;
        of->regions.interval_count = of->intervals.count;
    }
    if (records == NULL && desc->regions.kind == BIOST_REGIONS_RECORDS) {
        fx_complain_of(program, of->path, "has no --records", "give a FILE, or GROUP=FILE for its group");
        return FX_USAGE;
    }
    list = records != NULL ? records : list;
    if (list != NULL && status == FX_OK) {
        of->regions.kind = records != NULL ? BIOST_REGIONS_RECORDS : of->regions.kind;
        status = fx_places_read(program, list, of, records != NULL ? fx_bed_take_record : fx_bed_take_name,
                                &wish, &of->listed);
        of->regions.sequences = of->listed.numbers;
        of->regions.sequence_count = of->listed.count;
    }
    return status;
}

/* Read the files of regions, after fx_stores_load. Returns an exit code. */
static inline int fx_stores_place(const char *program, fx_stores *stores, const fx_places *places,
                                  biost_loader_desc *desc) {
    int status = FX_OK;
    uint32_t g;
    for (g = 0; g < stores->count && status == FX_OK; ++g) {
        fx_stored *of = &stores->of_group[g];
        if (of->store != NULL) {
            status = fx_places_take(program, places, desc, of,
                                    fx_places_of(&places->beds, stores, desc->group_count, g),
                                    fx_places_of(&places->lists, stores, desc->group_count, g),
                                    fx_places_of(&places->records, stores, desc->group_count, g));
            stores->groups[g].regions = &of->regions;
        }
    }
    if (stores->count > 0 && desc->group_count == 0) {
        desc->regions = stores->of_group[0].regions;
    }
    return status;
}

/*
 * Print the library's sentence, as fx_fail does. Where it names an interval by its number, print file and line of BED
 * instead: those of the first store whose interval of this number has that fault. Returns the exit code.
 */
static inline int fx_stores_fail(const char *program, const fx_stores *stores, const biost_loader_desc *desc,
                                 biost_result result, const biost_error *error) {
    static const char named[] = "desc.regions.intervals[";
    const char *at = error != NULL ? strstr(error->text, named) : NULL;
    const uint64_t number = at != NULL ? strtoull(at + sizeof named - 1, NULL, 10) : 0;
    const int is_minus = at != NULL && strstr(at, "minus strand") != NULL;
    char words[FX_SENTENCE];
    uint32_t g;
    for (g = 0; at != NULL && g < stores->count; ++g) {
        const fx_stored *of = &stores->of_group[g];
        const biost_interval *interval = of->intervals.intervals + number;
        if (number >= of->intervals.count || of->intervals.intervals == NULL) {
            continue;
        }
        if (is_minus ? interval->strand == 1 : interval->end - interval->start != desc->row_bases) {
            fx_speak(at + strcspn(at, "]") + 1, words, sizeof words);
            fflush(stdout);
            fprintf(stderr, "%s: ", program);
            fx_print_name(stderr, of->bed);
            fprintf(stderr, ": line %" PRIu64 ": the interval%s\n", of->intervals.lines[number], words);
            return FX_USAGE;
        }
    }
    return fx_fail(program, result, error);
}

#endif /* FX_STORES_H */
