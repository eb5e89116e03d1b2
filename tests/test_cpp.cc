/*
 * test_cpp.cc - examples/biostream.hpp and biostream_store.hpp: what loops give, against what gzip, awk and fxbatch say of the same
 * files; what is thrown, and when; who owns what. tests/cpp.sh makes the files and numbers that are expected.
 *
 *     test_cpp DIR     DIR as tests/cpp.sh makes it; the last line is `N passed, N failed`
 */
#include "../examples/biostream_store.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>
#include <type_traits>

namespace {

int passed = 0, failed = 0;

void check(bool is_good, int line, const char *what) {
    is_good ? ++passed : ++failed;
    if (!is_good) {
        std::cout << "FAILED tests/test_cpp.cc:" << line << ": " << what << '\n';
    }
}

#define CHECK(condition) check((condition), __LINE__, #condition)

std::string dir;                          /* with the files of cpp.sh */
std::map<std::string, std::string> known; /* what is expected, by name */

std::string in_dir(const char *name) {
    return dir + '/' + name;
}

uint64_t number(const char *name) {
    return std::strtoull(known[name].c_str(), nullptr, 0);
}

/* Run it. True if it throws a biost::error, a copy of which is left in out. */
template <class Call> bool throws(const Call &call, biost_error *out) {
    std::memset(out, 0, sizeof *out);
    try {
        call();
    } catch (const biost::error &error) {
        *out = error.details;
        return std::strcmp(error.what(), error.details.text) == 0 && error.what()[0] != '\0';
    }
    return false;
}

bool has(const biost_error &error, const std::string &words) {
    return std::strstr(error.text, words.c_str()) != nullptr;
}

/* Memory that the library holds, whichever thread asks. */
std::atomic<uint64_t> allocated(0);

void *count_alloc(size_t bytes, size_t align, void *) {
    char *block = static_cast<char *>(std::malloc(bytes + align + sizeof block)), *at = block + sizeof block;
    at += align - reinterpret_cast<uintptr_t>(at) % align;
    std::memcpy(at - sizeof block, &block, sizeof block);
    allocated += bytes;
    return at;
}

void count_free(void *memory, size_t bytes, void *) {
    char *block;
    std::memcpy(&block, static_cast<char *>(memory) - sizeof block, sizeof block);
    allocated -= bytes;
    std::free(block);
}

template <class Desc> Desc counted() {
    Desc desc = Desc();
    desc.allocator.alloc = count_alloc;
    desc.allocator.free = count_free;
    return desc;
}

/* Of the reads, as fxbatch --bases 150 --shuffle 65536 makes them. `path` must outlive the desc. */
biost_loader_desc reads_desc(const char *const *path) {
    biost_loader_desc desc = counted<biost_loader_desc>();
    desc.paths = path;
    desc.path_count = 1;
    desc.row_bases = 150;
    desc.shuffle_rows = 65536;
    desc.digest = 1;
    desc.epochs = 2;
    desc.workers = 2;
    return desc;
}

/* ---- types -------------------------------------------------------------------------------------- */

template <class T> constexpr bool only_moves() {
    return !std::is_copy_constructible<T>::value && !std::is_copy_assignable<T>::value &&
           std::is_nothrow_move_constructible<T>::value && std::is_nothrow_move_assignable<T>::value;
}
static_assert(only_moves<biost::reader>() && only_moves<biost::pairs>() && only_moves<biost::stream>(), "");
static_assert(only_moves<biost::loader>() && only_moves<biost::batch>(), "");
static_assert(std::is_base_of<std::runtime_error, biost::error>::value, "");
static_assert(std::is_nothrow_copy_constructible<biost::error>::value, "");
#if __cplusplus >= 201703L
static_assert(std::is_same<decltype(biost::record().seq()), std::string_view>::value, "");
#endif

void texts() {
    const char letters[] = "GATTACA";
    biost::text text(letters, 4), none;
    std::ostringstream out;
    out << text << '|' << none << '|' << std::string(text);
    CHECK(out.str() == "GATT||GATT");
    CHECK(text == "GATT" && text != "GATTACA" && text != "GATC" && none == "" && none != text);
    CHECK(text.size() == 4 && text.data() == letters && text[3] == 'T' && none.size() == 0);
    CHECK(std::string(text.begin(), text.end()) == "GATT");
}

/* ---- records ------------------------------------------------------------------------------------ */

template <class Reader> bool gives_all_records(Reader &&reader) {
    std::ifstream expected(in_dir("records.txt"));
    std::string line;
    bool is_same = true;
    for (const biost::record &read : reader) {
        std::string here = std::string(read.name()) + '\t' + std::string(read.comment()) + '\t' +
                           std::string(read.seq()) + '\t' + std::string(read.qual());
        is_same = is_same && std::getline(expected, line) && here == line;
    }
    return is_same && !std::getline(expected, line);
}

void records() {
    biost_reader_desc desc = counted<biost_reader_desc>();
    desc.path = known["reads"].c_str();
    desc.workers = 2;
    desc.stats = 1;
    CHECK(gives_all_records(biost::reader(known["reads"])));
    CHECK(gives_all_records(biost::reader(desc)));
    CHECK(allocated == 0);
    uint64_t count = 0, bases = 0, qualities = 0;
    for (biost::record &record : biost::reader(known["genome"])) {
        count += 1;
        bases += record.seq().size();
        qualities += record.qual().size();
    }
    CHECK(count == number("genome_records") && bases == number("genome_bases") && qualities == 0);
    biost::reader reader(desc);
    biost::record record;
    CHECK(biost_reader_seek(reader.get(), 4321) == BIOST_OK && reader.next(record));
    CHECK(record.name() == known["name_4321"].c_str() && record.c.id == 4321 && record.c.stats != nullptr);
    /* A loop left early goes on where it stopped. */
    for (biost::record &next : reader) {
        CHECK(next.c.id == 4322);
        break;
    }
    CHECK(reader.next(record) && record.c.id == 4323);
    CHECK(biost_reader_seek(reader.get(), 10000) == BIOST_OK && !reader.next(record) && !reader.next(record));
    CHECK(record.c.seq == nullptr && record.name() == "");
    for (biost::record &none : reader) {
        CHECK(none.c.id == 0 && false);
    }
}

void lines_and_pairs() {
    std::ifstream text(in_dir("text.txt")), pairs(in_dir("pairs.txt"));
    std::string expected;
    bool is_same = true;
    for (biost::line &line : biost::stream(known["reads"])) {
        is_same = is_same && std::getline(text, expected) && line.get() == expected.c_str();
    }
    CHECK(is_same && !std::getline(text, expected));
    biost::pairs two{biost::reader(known["mate_1"]), biost::reader(known["mate_2"])};
    biost::pairs one{biost::reader(in_dir("alternating.fastq"))};
    is_same = true;
    for (biost::mates &both : two) {
        std::ostringstream here;
        here << both.first().name() << '\t' << both.first().seq() << '\t' << both.second().seq();
        biost::mates again;
        is_same = is_same && std::getline(pairs, expected) && here.str() == expected && one.next(again) &&
                  std::string(again.second().seq()) == std::string(both.second().seq()) &&
                  std::string(again.first().qual()) == std::string(both.first().qual());
    }
    biost::mates none;
    CHECK(is_same && !std::getline(pairs, expected) && !one.next(none) && none.first().name() == "");
    biost_error error;
    biost::pairs wrong{biost::reader(known["mate_1"]), biost::reader(known["reads"])};
    CHECK(throws([&] { wrong.next(none); }, &error) && error.fault == BIOST_FAULT_PAIR_NAME);
    CHECK(throws([&] { biost::pairs no_file{biost::reader(in_dir("nothing"))}; }, &error));
}

/* Readers close after their pairs, whatever is assigned to what. */
void owners_of_readers() {
    biost_reader_desc desc = counted<biost_reader_desc>();
    desc.path = known["mate_1"].c_str();
    {
        biost::reader first(desc), second(desc);
        biost::pairs pairs(std::move(first), std::move(second)), other{biost::reader(desc)};
        biost::mates both;
        CHECK(first.get() == nullptr && allocated > 0 && pairs.next(both));
        pairs = std::move(other);
        CHECK(pairs.get() != nullptr && other.get() == nullptr);
        biost_error error;
        CHECK(throws([&] { other.next(both); }, &error) && error.code == BIOST_ERR_ARG);
        CHECK(throws([&] { biost::pairs none{biost::reader()}; }, &error) && error.code == BIOST_ERR_ARG);
    }
    CHECK(allocated == 0);
}

/* ---- what is thrown ----------------------------------------------------------------------------- */

/* Read it all. Returns how many good records came before the error. */
uint64_t read_until(const std::string &path, biost_error *out) {
    uint64_t count = 0;
    CHECK(throws(
        [&] {
            for (biost::record &record : biost::reader(path)) {
                count += record.seq().size() > 0;
            }
        },
        out));
    return count;
}

void errors_of_records() {
    biost_error error;
    CHECK(read_until(in_dir("damaged.fastq"), &error) == 40);
    CHECK(error.code == BIOST_ERR_TEXT && error.fault == BIOST_FAULT_LENGTH && error.record == 40);
    CHECK(error.line == 164 && has(error, "damaged.fastq") && has(error, "record 41"));
    uint64_t before = read_until(in_dir("cut.fastq.gz"), &error);
    CHECK(error.code == BIOST_ERR_GZIP && error.fault == BIOST_FAULT_TRUNCATED && has(error, "cut.fastq.gz"));
    CHECK(before > 0 && before < 10000 && error.source_offset <= 400000);
    CHECK(read_until(in_dir("crc.fastq.gz"), &error) == 10000);
    CHECK(error.code == BIOST_ERR_GZIP && error.fault == BIOST_FAULT_BAD_CRC && has(error, "crc.fastq.gz"));
    CHECK(throws([&] { biost::reader reader(in_dir("nothing")); }, &error) && error.code == BIOST_ERR_IO);
    CHECK(error.fault == BIOST_FAULT_OPEN && has(error, "nothing"));
    CHECK(throws([&] { biost::stream stream(biost_stream_desc{}); }, &error) && error.code == BIOST_ERR_ARG);
    CHECK(throws(
        [&] {
            for (biost::line &line : biost::stream(in_dir("crc.fastq.gz"))) {
                line.get();
            }
        },
        &error));
    CHECK(error.fault == BIOST_FAULT_BAD_CRC);
    /* It is a std::runtime_error to whoever knows of nothing else. */
    std::string what;
    try {
        biost::reader reader(in_dir("nothing"));
    } catch (const std::runtime_error &known_to_all) {
        what = known_to_all.what();
    }
    CHECK(what.find("nothing") != std::string::npos);
}

void errors_of_batches() {
    biost_error error;
    std::string damaged = in_dir("damaged.fastq");
    biost::loader loader("row_bases 150 epochs 1", {known["reads"].c_str(), damaged.c_str()});
    uint64_t rows = 0;
    uint32_t flags = 0;
    CHECK(throws(
        [&] {
            for (biost::batch &batch : loader.epoch(0)) {
                rows += batch->valid_rows;
                flags = batch->flags;
            }
        },
        &error));
    CHECK(rows == number("reads_records") + 40 && (flags & BIOST_BATCH_BEFORE_ERROR) != 0);
    CHECK(error.fault == BIOST_FAULT_LENGTH && error.path_index == 1 && error.record == 40);
    CHECK(has(error, "damaged.fastq") && has(error, "record 41"));
    CHECK(throws([&] { loader.epoch(0); }, &error) && error.fault == BIOST_FAULT_LENGTH);
    CHECK(throws([&] { biost::loader wrong("batch_row 3", {damaged.c_str()}); }, &error));
    CHECK(error.code == BIOST_ERR_ARG && has(error, "batch_rows"));
    CHECK(throws([&] { biost::loader wrong("batch_rows 3", {}); }, &error) && error.code == BIOST_ERR_ARG);
    CHECK(throws([&] { biost::loader wrong{biost_loader_desc()}; }, &error) && error.code == BIOST_ERR_ARG);
    biost::loader early("row_bases 150", {known["reads"].c_str()});
    CHECK(throws(
              [&] {
                  biost::batch batch;
                  early.next(batch);
              },
              &error) &&
          error.code == BIOST_ERR_ARG);
    /* A loop that is cancelled has not seen all, so it does not just end. */
    rows = 0;
    CHECK(throws(
        [&] {
            for (biost::batch &batch : early.epoch(0)) {
                rows += batch->valid_rows;
                biost_loader_cancel(early.get());
            }
        },
        &error));
    CHECK(error.code == BIOST_CANCELLED && rows == 256);
}

/* ---- batches ------------------------------------------------------------------------------------ */

/* The sum of the digests of what a loop gives. */
template <class Source> uint64_t digest_of(Source &&source) {
    uint64_t sum = 0;
    for (const biost::batch &batch : source) {
        sum += batch->digest;
    }
    return sum;
}

void batches() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    {
        biost::loader loader(desc);
        CHECK(digest_of(loader.epoch(0)) == number("digest_0"));
        CHECK(digest_of(loader.epoch(1)) == number("digest_1"));
        CHECK(digest_of(loader.epoch(0)) == number("digest_0"));
    }
    CHECK(digest_of(biost::loader(desc).epoch(0)) == number("digest_0")); /* the loop keeps it open */
    CHECK(allocated == 0);
    biost::loader by_text("row_bases 150  shuffle_rows 65536  digest 1", {paths[0]});
    CHECK(digest_of(by_text.epoch(1)) == number("digest_1"));
#if __cplusplus >= 202002L
    /* Fields that are not named are 0; g++ warns of that under -Wextra, in C++ alone. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
    biost::loader by_name(
        {.paths = paths, .path_count = 1, .row_bases = 150, .shuffle_rows = 65536, .digest = 1});
    CHECK(digest_of(by_name.epoch(0)) == number("digest_0"));
    CHECK(gives_all_records(biost::reader({.path = paths[0], .workers = 2})));
#pragma GCC diagnostic pop
#endif
}

void classes() {
    biost::loader loader("row_bases 150  long_records split  shuffle_rows 65536  digest 1  epochs 1\n"
                         "labels.kind group  labels.dtype i64\n"
                         "group.0.name coli  group.0.input_count 1  group.0.weight 1\n"
                         "group.1.name human  group.1.first_input 1  group.1.input_count 1\n"
                         "group.1.weight 1  group.1.label 1",
                         {known["genome_0"].c_str(), known["genome"].c_str()});
    uint64_t rows[2] = {0, 0};
    for (biost::batch &batch : loader.epoch(0)) {
        const int64_t *labels = batch.data<int64_t>(BIOST_ROLE_LABEL);
        for (uint32_t row = 0; row < batch->valid_rows; ++row) {
            rows[labels[row] & 1] += 1;
        }
    }
    /* Equal shares, until each piece of the larger class was seen. */
    CHECK(rows[0] == number("pieces_0") && rows[1] + 1 >= rows[0] && rows[1] <= rows[0] + 1);
    biost::loader bytes("row_bases 150  long_records split  shuffle_rows 65536  digest 1  epochs 1\n"
                        "labels.kind group\n"
                        "group.0.name coli  group.0.input_count 1  group.0.weight 1\n"
                        "group.1.name human  group.1.first_input 1  group.1.input_count 1\n"
                        "group.1.weight 1  group.1.label 1",
                        {known["genome_0"].c_str(), known["genome"].c_str()});
    CHECK(digest_of(bytes.epoch(0)) == number("digest_classes"));
}

/* Numbers of a tensor, by the type that they have; the letters of row 0 are those of the first record. */
template <class T> bool is_first_read(const char *dtype, T one) {
    std::ifstream expected(in_dir("records.txt"));
    std::string word, seq;
    std::getline(expected, word, '\t');
    std::getline(expected, word, '\t');
    std::getline(expected, seq, '\t');
    biost::loader loader((std::string("row_bases 150  encoding.dtype ") + dtype).c_str(),
                         {known["reads"].c_str()});
    bool is_same = false;
    for (biost::batch &batch : loader.epoch(0)) {
        const T *x = batch.data<T>();
        is_same = seq.size() == 150;
        for (size_t at = 0; at < seq.size(); ++at) {
            for (size_t channel = 0; channel < 4; ++channel) {
                T expected_here = seq[at] == "ACGT"[channel] ? one : T(0);
                is_same = is_same && std::memcmp(&x[4 * at + channel], &expected_here, sizeof one) == 0;
            }
        }
        break;
    }
    return is_same;
}

void tensors() {
    CHECK(is_first_read<uint8_t>("u8", 1));
    CHECK(is_first_read<float>("f32", 1.0f));
    CHECK(is_first_read<uint16_t>("f16", 0x3c00));
    CHECK(is_first_read<uint16_t>("bf16", 0x3f80));
    biost::loader loader("row_bases 150  encoding.kind tokens  encoding.dtype i32  quality.kind phred",
                         {known["reads"].c_str()});
    biost::batch batch;
    biost_error error;
    loader.epoch(0);
    CHECK(loader.next(batch) && batch.data<int32_t>()[0] == 5 &&
          batch.data<int32_t>()[1] == 2); /* N, then C */
    CHECK(batch.data<uint8_t>(BIOST_ROLE_QUALITY)[0] == '#' - 33);
    CHECK(throws([&] { batch.data<float>(); }, &error) && error.code == BIOST_ERR_ARG);
    CHECK(throws([&] { batch.data<int64_t>(); }, &error) && throws([&] { batch.data<uint8_t>(); }, &error));
    CHECK(throws([&] { batch.data<double>(); }, &error) && throws([&] { batch.data<uint16_t>(); }, &error));
    CHECK(throws([&] { batch.data<uint8_t>(BIOST_ROLE_MASK); }, &error));
    batch.release();
    CHECK(throws([&] { batch.data<int32_t>(); }, &error) && throws([&] { (void)batch->rows; }, &error));
    CHECK(throws([&] { (void)*batch; }, &error) && error.code == BIOST_ERR_ARG);
    batch.release();
}

/* With one slot a loader gives a batch only after the one before came back. */
void leaving_loops() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    desc.slots = 1;
    biost::loader loader(desc);
    for (biost::batch &batch : loader.epoch(0)) {
        if (batch->index == 2) {
            break;
        }
    }
    biost::batch third;
    CHECK(loader.next(third) && third->index == 3);
    third.release();
    int caught = 0;
    try {
        for (biost::batch &batch : loader.epoch(0)) {
            if (batch->index == 5) {
                throw 7;
            }
        }
    } catch (int thrown) {
        caught = thrown;
    }
    CHECK(caught == 7 && digest_of(loader.epoch(0)) == number("digest_0"));
    CHECK(loader.epoch(1).next(third) && loader.next(third) && third->index == 1); /* filled anew */
    { biost::batch gone(std::move(third)); }
    CHECK(loader.next(third) && third->index == 2);
}

/* A sum of all that a batch shows. */
uint64_t sum_of(const biost::batch &batch) {
    const unsigned char *bytes = static_cast<const unsigned char *>(batch->slab);
    uint64_t sum = batch->origins[0].id >= 0 ? 1 : 0;
    for (uint64_t i = 0; i < batch->slab_bytes; ++i) {
        sum = sum * 31 + bytes[i];
    }
    return sum;
}

void keeping_batches() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    desc.slots = 3;
    std::vector<biost::batch> kept;
    std::vector<uint64_t> sums;
    biost_error error;
    uint64_t digest = 0;
    {
        biost::loader loader(desc);
        for (biost::batch &batch : loader.epoch(0)) {
            digest += batch->digest;
            if (batch->index == 4 || batch->index == 9) {
                kept.push_back(std::move(batch));
                sums.push_back(sum_of(kept.back()));
                CHECK(throws([&] { (void)batch->index; }, &error)); /* moved out of the loop's variable */
            }
        }
        CHECK(kept.size() == 2 && digest == number("digest_0") && sum_of(kept[0]) == sums[0]);
        /* All slots are held: a refusal, after which all goes on. */
        biost::batch third, fourth;
        loader.epoch(1);
        CHECK(loader.next(third) && third->index == 0 && third->epoch == 1);
        CHECK(throws([&] { loader.next(fourth); }, &error) && error.code == BIOST_ERR_SLOTS);
        kept.pop_back();
        CHECK(loader.next(fourth) && fourth->index == 1);
        CHECK(kept[0]->epoch == 0 && kept[0]->index == 4 && sum_of(kept[0]) == sums[0]);
        fourth = std::move(third); /* the batch that fourth had goes back */
        CHECK(fourth->index == 0 && loader.next(third) && third->index == 2);
    }
    /* The loader is gone, one of its batches is not. */
    CHECK(allocated > 0 && kept[0]->index == 4 && sum_of(kept[0]) == sums[0] && kept[0]->x.shape[1] == 150);
    CHECK(biost_batch_tensor(&*kept[0], BIOST_ROLE_INPUT) != nullptr);
    std::thread([&] { kept.clear(); }).join();
    CHECK(allocated == 0);
}

/* A row of a pair has two tensors of each kind. */
void pairs_in_batches() {
    const biost_memory files[2] = {{"@a/1\nAC\n+\nII\n", 13, "1"}, {"@a/2\nGTT\n+\nIII\n", 15, "2"}};
    biost_store_desc build = biost_store_desc();
    biost_loader_desc desc = biost_loader_desc();
    biost_store *store = nullptr;
    biost_error error;
    build.memories = files;
    build.memory_count = 2;
    build.mates = 2;
    CHECK(biost_store_build(&build, &store, nullptr) == BIOST_OK);
    desc.store = store;
    desc.mates = 2;
    desc.encoding.kind = BIOST_ENCODE_TOKENS;
    {
        biost::loader loader(desc);
        for (biost::batch &batch : loader.epoch(0)) {
            const uint8_t *one = batch.data<uint8_t>(), *two = batch.data<uint8_t>(BIOST_ROLE_INPUT, 1);
            CHECK(batch->mates == 2 && one[0] == 1 && one[1] == 2 && two[0] == 3 && two[1] == 4 &&
                  two[2] == 4);
            CHECK(throws([&] { batch.data<uint8_t>(BIOST_ROLE_INPUT, 2); }, &error));
        }
    }
    CHECK(biost_store_close(store, nullptr) == BIOST_OK);
}

/* Batches end on another thread, as where a step of training is under way while the next batch is made. */
void threads() {
    const char *paths[] = {known["reads"].c_str()};
    uint64_t digest = 0;
    std::thread step;
    {
        biost::loader loader(reads_desc(paths));
        for (biost::batch &batch : loader.epoch(0)) {
            auto lent = std::make_shared<biost::batch>(std::move(batch));
            if (step.joinable()) {
                step.join();
            }
            step = std::thread([&digest, lent]() mutable {
                digest += (*lent)->digest;
                lent.reset();
            });
        }
    }
    step.join();
    CHECK(digest == number("digest_0") && allocated == 0);
}

void two_loaders() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    desc.slots = 1;
    biost::loader one(desc), other(desc);
    biost::batch batch, more;
    uint64_t digests[2] = {0, 0};
    one.epoch(0);
    other.epoch(1);
    /* One variable for both: each batch goes back to its own loader. */
    while (one.next(batch)) {
        digests[0] += batch->digest;
        CHECK(other.next(batch));
        digests[1] += batch->digest;
    }
    CHECK(digests[0] == number("digest_0") && digests[1] == number("digest_1") && !other.next(batch));
    one.epoch(0);
    other.epoch(0);
    CHECK(one.next(batch) && other.next(more));
    std::swap(batch, more);
    more = std::move(batch);
    CHECK(other.get() != nullptr && one.next(batch) && batch->index == 1);
    /* A batch of one is not another's. */
    unsigned char state[512];
    size_t bytes = 0;
    CHECK(biost_loader_state(one.get(), &*batch, state, sizeof state, &bytes) == BIOST_OK && bytes > 0);
}

void resuming() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    unsigned char state[512];
    uint64_t digest = 0;
    {
        biost::loader loader(desc);
        for (biost::batch &batch : loader.epoch(0)) {
            digest += batch->digest;
            if (batch->index == 16) {
                CHECK(biost_loader_state(loader.get(), &*batch, state, sizeof state, &desc.state_bytes) ==
                      BIOST_OK);
                break;
            }
        }
    }
    desc.state = state;
    biost::loader loader(desc);
    digest += digest_of(loader.epoch(biost_loader_first_epoch(loader.get())));
    CHECK(digest == number("digest_0"));
}

/* ---- moves -------------------------------------------------------------------------------------- */

template <class Source> void moves(Source source) {
    biost_error error;
    Source other(std::move(source)), &same = other;
    auto object = other.get();
    CHECK(source.get() == nullptr && object != nullptr);
    CHECK(throws(
              [&] {
                  for (auto &item : source) {
                      (void)item;
                  }
              },
              &error) &&
          error.code == BIOST_ERR_ARG);
    CHECK(has(error, "empty"));
    other = std::move(same); /* to itself */
    CHECK(other.get() == object);
    source = std::move(other);
    CHECK(source.get() == object && other.get() == nullptr);
    CHECK(throws(
        [&] {
            for (auto &item : other) {
                (void)item;
            }
        },
        &error));
    uint64_t items = 0;
    for (auto &item : source) { /* a loop goes on whoever has its source */
        (void)item;
        if (items++ == 0) {
            other = std::move(source);
        } else if (items == 3) {
            other = Source();
        }
    }
    CHECK(items > 3);
}

void all_moves() {
    const char *paths[] = {known["reads"].c_str()};
    biost_loader_desc desc = reads_desc(paths);
    moves(biost::reader(known["reads"]));
    moves(biost::stream(known["reads"]));
    {
        biost::loader loader(desc), other(desc), &same = loader;
        biost::batch batch;
        biost_error error;
        loader.epoch(0);
        CHECK(loader.next(batch));
        biost::batch &same_batch = batch;
        batch = std::move(same_batch); /* to itself */
        CHECK(batch->index == 0);
        loader = std::move(same);
        CHECK(loader.next(batch) && batch->index == 1);
        other = std::move(loader); /* closes the one that other had */
        CHECK(other.next(batch) && batch->index == 2 && loader.get() == nullptr);
        CHECK(throws([&] { loader.next(batch); }, &error) && error.code == BIOST_ERR_ARG &&
              has(error, "empty"));
        CHECK(throws([&] { loader.epoch(0); }, &error) && throws([&] { (void)batch->index; }, &error));
        uint64_t digest = 0;
        for (biost::batch &now : other.epoch(0)) {
            if (now->index == 1) {
                biost::loader gone(std::move(other)); /* the loop keeps it open */
            }
            digest += now->digest;
        }
        CHECK(digest == number("digest_0"));
    }
    CHECK(allocated == 0);
}

/* What a desc lends lives as long as what it was handed over with. */
void keeping_what_is_lent() {
    std::ifstream file(in_dir("text.txt"));
    auto bytes = std::make_shared<std::string>(std::istreambuf_iterator<char>(file),
                                               std::istreambuf_iterator<char>());
    std::weak_ptr<std::string> there(bytes);
    biost_memory memory = biost_memory();
    memory.data = bytes->data();
    memory.bytes = bytes->size();
    biost_loader_desc desc = counted<biost_loader_desc>();
    desc.memories = &memory;
    desc.memory_count = 1;
    desc.row_bases = 150;
    biost::batch batch;
    {
        biost::loader loader(desc, std::move(bytes));
        loader.epoch(0);
        CHECK(loader.next(batch));
    }
    CHECK(!there.expired() && batch->valid_rows == 256);
    batch.release();
    CHECK(there.expired() && allocated == 0);
}

/* ---- stores ------------------------------------------------------------------------------------- */

typedef std::vector<std::pair<std::string, std::string>> sequences;

/* Names and sequences, as awk sees them. */
sequences read_sequences(const char *name) {
    std::ifstream file(in_dir(name));
    sequences all;
    std::string word, seq;
    while (std::getline(file, word, '\t') && std::getline(file, seq)) {
        all.push_back({word, seq});
    }
    return all;
}

biost::store load(const char *name) {
    biost_allocator allocator = counted<biost_loader_desc>().allocator;
    return biost::store(in_dir(name).c_str(), &allocator);
}

/* Whether token 1 is A, 2 C, 3 G, 4 T and 5 another letter, for the row's stretch of its sequence. */
bool is_stretch(const sequences &all, const biost_row &row, const uint8_t *tokens, size_t bases) {
    const std::string &seq = all[size_t(row.id & 0xFFFFFFFF)].second;
    bool is_same = size_t(row.start_base) + bases <= seq.size();
    for (size_t i = 0; i < bases && is_same; ++i) {
        char letter = seq[size_t(row.start_base) + (row.strand ? bases - 1 - i : i)];
        size_t at = std::string("AaCcGgTt").find(letter);
        size_t token = at == std::string::npos ? 5 : at / 2 + 1;
        is_same = tokens[i] == (row.strand && token < 5 ? 5 - token : token);
    }
    return is_same;
}

void stretches_of_stores() {
    sequences human = read_sequences("human.txt");
    biost_error error;
    CHECK(human.size() == number("genome_records"));
    {
        biost::store store = load("human.bst");
        for (size_t i = 0; i < human.size(); ++i) {
            const std::string &name = human[i].first, &seq = human[i].second;
            CHECK(store.find(biost::text(name.c_str())) == i);
            CHECK(store.fetch(biost::text(name.c_str()), 0, seq.size()) == seq);
            CHECK(store.fetch(biost::text(name.c_str()), 7, 907) == seq.substr(7, 900));
            CHECK(store.fetch(biost::text(name.c_str()), 7, 7).empty());
            CHECK(throws([&] { store.fetch(biost::text(name.c_str()), 1, seq.size() + 1); }, &error));
            CHECK(has(error, name) && has(error, std::to_string(seq.size())));
        }
        CHECK(throws([&] { store.fetch("nobody", 0, 1); }, &error) && has(error, "nobody"));
        CHECK(throws([&] { biost::store none(in_dir("nothing")); }, &error) && has(error, "nothing"));
        CHECK(throws([&] { biost::store wrong(known["reads"]); }, &error) && error.code == BIOST_ERR_ARG);
        /* Two that are built here. */
        const char *path = known["genome"].c_str();
        biost_store_desc desc = counted<biost_store_desc>();
        biost_memory twice = biost_memory();
        twice.data = ">a\nAC\n>b\nG\n>a x\nT\n";
        twice.bytes = 18;
        desc.memories = &twice;
        desc.memory_count = desc.duplicate_names = 1;
        biost::store names(desc);
        CHECK(names.find("b") == 1);
        CHECK(throws([&] { names.find("a"); }, &error) &&
              has(error, "two sequences are named a: numbers 0 and 2"));
        desc.memory_count = desc.duplicate_names = 0;
        desc.paths = &path;
        desc.path_count = 1;
        biost::store built(desc), copy(built);
        CHECK(copy.get() == built.get() &&
              copy.fetch(human[0].first.c_str(), 3, 99) == human[0].second.substr(3, 96));
    }
    CHECK(allocated == 0);
}

void loaders_of_stores() {
    sequences human = read_sequences("human.txt"), coli = read_sequences("coli.txt");
    const char *text = "row_bases 120  batch_rows 32  encoding.kind tokens  order exact  regions.kind grid\n"
                       "regions.stride 60  regions.edge drop  regions.strands both  workers 2  epochs 1";
    uint64_t regions = 0, rows = 0;
    biost::batch kept;
    bool is_same = true;
    for (const auto &one : human) {
        regions += one.second.size() < 120 ? 0 : 2 * ((one.second.size() - 120) / 60 + 1);
    }
    {
        biost::store_loader loader(text, {load("human.bst")}); /* nobody else has the store */
        std::map<std::pair<int64_t, int64_t>, int> strands;
        CHECK(loader.batches_per_epoch() == (regions + 31) / 32);
        for (biost::batch &batch : loader.epoch(0)) {
            for (uint32_t row = 0; row < batch->valid_rows; ++row) {
                const biost_row &of = batch->origins[row];
                is_same = is_same && is_stretch(human, of, batch.data<uint8_t>() + size_t(row) * 120, 120);
                is_same = is_same && of.start_base % 60 == 0;
                strands[{of.id, of.start_base}] |= 1 << of.strand;
                ++rows;
            }
            kept = std::move(batch);
        }
        CHECK(is_same && rows == regions && strands.size() == regions / 2);
        for (const auto &one : strands) {
            is_same = is_same && one.second == 3;
        }
        CHECK(is_same);
    }
    CHECK(kept->rows == 32 &&
          kept->valid_rows == (regions - 1) % 32 + 1); /* it holds the loader, that the store */
    CHECK(is_stretch(human, kept->origins[0], kept.data<uint8_t>(), 120) && allocated > 0);
    kept.release();
    CHECK(allocated == 0);
    /* Two groups, and regions that no text can say. */
    biost_interval places[2] = {{0, 10, 130, 0, 0, 0}, {1, 2000, 2120, 0, 1, 0}};
    const char *groups =
        "row_bases 120  batch_rows 30  encoding.kind tokens  order exact  labels.kind group\n"
        "group.0.name human  group.0.weight 1  group.0.label 1\n"
        "group.1.name coli  group.1.weight 2  epoch_end rows  epoch_rows 90";
    biost_regions grid = biost_regions(), at = biost_regions();
    grid.kind = BIOST_REGIONS_GRID;
    grid.edge = BIOST_EDGE_DROP;
    at.kind = BIOST_REGIONS_INTERVALS;
    at.intervals = places;
    at.interval_count = 2;
    uint64_t counts[2] = {0, 0};
    {
        auto add = [&](biost_loader_desc &, biost_group *all) {
            all[0].regions = &at;
            all[1].regions = &grid;
        };
        biost::store_loader loader(groups, {load("human.bst"), load("coli.bst")}, add);
        CHECK(loader.batches_per_epoch() == 3);
        for (biost::batch &batch : loader.epoch(0)) {
            for (uint32_t row = 0; row < batch->valid_rows; ++row) {
                const biost_row &of = batch->origins[row];
                const uint8_t *tokens = batch.data<uint8_t>() + size_t(row) * 120;
                ++counts[of.group];
                CHECK(batch.data<uint8_t>(BIOST_ROLE_LABEL)[row] == 1 - of.group);
                CHECK(is_stretch(of.group == 0 ? human : coli, of, tokens, 120));
                CHECK(of.group == 0 ? of.start_base == 10 || of.start_base == 2000
                                    : of.start_base % 120 == 0);
            }
        }
    }
    CHECK(counts[0] == 30 && counts[1] == 60 && allocated == 0);
    biost_error error;
    CHECK(throws([&] { biost::store_loader none("row_bases 120", {}); }, &error) &&
          error.code == BIOST_ERR_ARG);
    CHECK(throws([&] { biost::store_loader two(text, {load("human.bst"), load("coli.bst")}); }, &error));
    CHECK(has(error, "more stores than groups"));
    CHECK(throws([&] { biost::store_loader wrong("regions.kin grid", {load("coli.bst")}); }, &error));
    CHECK(has(error, "regions.kind"));
    CHECK(throws([&] { biost::store_loader wrong("shuffle_rows 9", {load("coli.bst")}); }, &error));
    CHECK(has(error, "shuffle_rows") && allocated == 0);
}

} // namespace

int main(int argc, char **argv) {
    dir = argc > 1 ? argv[1] : "";
    std::ifstream file(in_dir("expected.txt"));
    std::string name, value;
    while (file >> name >> value) {
        known[name] = value;
    }
    if (known.empty()) {
        std::cout << "usage: test_cpp DIR, a folder that tests/cpp.sh made\n0 passed, 1 failed\n";
        return 1;
    }
    void (*const tests[])() = {texts,
                               records,
                               lines_and_pairs,
                               owners_of_readers,
                               errors_of_records,
                               errors_of_batches,
                               batches,
                               classes,
                               tensors,
                               leaving_loops,
                               keeping_batches,
                               threads,
                               two_loaders,
                               resuming,
                               all_moves,
                               keeping_what_is_lent,
                               stretches_of_stores,
                               loaders_of_stores,
                               pairs_in_batches};
    for (void (*test)() : tests) {
        try {
            test();
        } catch (const std::exception &thrown) {
            ++failed;
            std::cout << "FAILED: a test was left by an exception: " << thrown.what() << '\n';
        }
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed != 0;
}
