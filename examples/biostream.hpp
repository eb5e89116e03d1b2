/*
 * biostream.hpp - biostream.h for C++11 and later: objects that close themselves, loops, exceptions. Copy it
 * beside biostream.h; one file of the program defines BIOSTREAM_IMPLEMENTATION before it.
 *     for (biost::record &read : biost::reader("reads.fastq.gz")) { count(read.name(), read.seq()); }
 *     biost::loader loader("row_bases 150  encoding.dtype f32  epochs 1", {"reads.fastq.gz"});
 *     for (biost::batch &batch : loader.epoch(0)) { train(batch.data<float>(), batch->valid_rows); }
 *
 * Objects open by a path or their desc, and move but do not copy; get() is the object in C. A loop that ends
 * by itself has seen all of the input, verified; all else is thrown as biost::error, after what came before
 * the fault. A batch goes back to its loader when it is destroyed, released or filled anew, so also when
 * break or an exception leaves a loop. Moved out of a loop and kept, it holds one of desc.slots; next throws
 * (ERR_SLOTS) where all are held. An object is closed with the last of itself, its loops and its batches, on
 * any thread. What a desc lends must live until then, as `keep` does, and its functions must not throw.
 */
#ifndef BIOSTREAM_HPP
#define BIOSTREAM_HPP
#include "biostream.h"
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

/* Files compiled by different standards can be linked: names differ, as `text` is another type. */
#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
#include <string_view>
namespace biost {
inline namespace cpp17 {
using text = std::string_view;
#else
namespace biost {
inline namespace cpp11 {
class text { /* bytes that lie elsewhere */
    const char *data_;
    size_t size_;

  public:
    text(const char *data, size_t size) : data_(data), size_(size) {}
    text(const char *data = "") : data_(data), size_(std::char_traits<char>::length(data)) {}
    const char *data() const { return data_; }
    size_t size() const { return size_; }
    const char *begin() const { return data_; }
    const char *end() const { return data_ + size_; }
    char operator[](size_t at) const { return data_[at]; }
    explicit operator std::string() const { return std::string(begin(), end()); }
    friend bool operator==(text a, text b) { return std::string(a) == std::string(b); }
    friend bool operator!=(text a, text b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, text t) { return out << std::string(t); }
};
#endif

struct error : std::runtime_error {
    biost_error details; /* code, file, record, line, byte */
    explicit error(const biost_error &from) : std::runtime_error(from.text), details(from) {}
    error(biost_result code, const std::string &sentence) : std::runtime_error(sentence), details() {
        details.code = code;
        sentence.copy(details.text, sizeof details.text - 1);
    }
};

/* Throw where the implementation that is linked is of another version than the header: nothing else fits then. */
inline void check_version() {
    auto name = [](uint32_t v) {
        return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
               std::to_string(v % 100);
    };
    if (!BIOST_VERSION_FITS(biost_version())) {
        throw error(BIOST_ERR_UNSUPPORTED, "this program was compiled with biostream.h " +
                                               name(BIOST_VERSION) + ", and biostream " +
                                               name(biost_version()) + " is linked");
    }
}

/* What gives Items, in a loop or by next() until that is false. Object is the object in C. */
template <class Item, class Object, class Desc, biost_result (*Open)(const Desc *, Object **, biost_error *),
          const biost_error *(*Error)(const Object *), void (*Close)(Object *)>
class source {
  protected:
    std::shared_ptr<Object> object_; /* none: empty, as after a move */
    /* True for OK, false for END; else throw what the object says of its last call. */
    static bool check(biost_result result, const std::shared_ptr<Object> &object) {
        if (result == BIOST_OK || result == BIOST_END) {
            return result == BIOST_OK;
        }
        const biost_error *why = Error(object.get());
        throw why ? error(*why) : error(result, object ? biost_result_text(result) : "the object is empty");
    }
    template <class Call> void open(const Call &call, const std::shared_ptr<void> &keep) {
        biost_error why;
        Object *object;
        check_version();
        if (call(&object, &why) != BIOST_OK) {
            throw error(why);
        }
        object_.reset(object, [keep](Object *closed) { Close(closed); });
    }

  public:
    struct iterator {
        std::shared_ptr<Object> from; /* none: at the end */
        Item item;
        Item &operator*() { return item; }
        iterator &operator++() { return check(item.fill(from), from) ? *this : (from = nullptr, *this); }
        bool operator!=(const iterator &other) const { return from != other.from; }
    };
    explicit source(std::shared_ptr<Object> object = nullptr) : object_(std::move(object)) {}
    explicit source(const Desc &desc, const std::shared_ptr<void> &keep = nullptr) {
        open([&](Object **out, biost_error *why) { return Open(&desc, out, why); }, keep);
    }
    explicit source(const char *path) {
        Desc desc = Desc();
        desc.path = path;
        *this = source(desc);
    }
    template <class T> explicit source(const std::basic_string<char, T> &path) : source(path.c_str()) {}
    source(source &&) = default;
    source &operator=(source &&) = default;
    bool next(Item &out) { return check(out.fill(object_), object_); }
    iterator begin() { return std::move(++iterator{object_, Item()}); }
    iterator end() { return iterator{nullptr, Item()}; }
    Object *get() const { return object_.get(); }
};

struct record { /* until the next is read; `c` is the record in C; of FASTA qual() is empty */
    biost_record c;
    text name() const { return text(c.name, c.name_bytes); }
    text comment() const { return text(c.comment, c.comment_bytes); }
    text seq() const { return text(c.seq, c.seq_bases); }
    text qual() const { return text(c.qual, c.qual ? c.seq_bases : 0); }
    biost_result fill(const std::shared_ptr<biost_reader> &from) { return biost_reader_next(from.get(), &c); }
};
using reader = source<record, biost_reader, biost_reader_desc, biost_reader_open, biost_reader_error,
                      biost_reader_close>;

struct line { /* of decompressed text, until the next is read */
    biost_line c;
    text get() const { return text(c.text, c.text_bytes); }
    biost_result fill(const std::shared_ptr<biost_stream> &s) { return biost_stream_next_line(s.get(), &c); }
};
using stream =
    source<line, biost_stream, biost_stream_desc, biost_stream_open, biost_stream_error, biost_stream_close>;

struct mates { /* records that belong together: of two readers in step, or of one in which they alternate */
    biost_record c[2];
    record first() const { return record{c[0]}; }
    record second() const { return record{c[1]}; }
    biost_result fill(const std::shared_ptr<biost_pairs> &from) { return biost_pairs_next(from.get(), c); }
};
struct pairs
    : source<mates, biost_pairs, biost_pairs_desc, biost_pairs_open, biost_pairs_error, biost_pairs_close> {
    explicit pairs(reader one, reader two = reader(), biost_pairs_desc desc = biost_pairs_desc()) {
        biost_reader *const both[] = {one.get(), two.get()};
        desc.readers = both;
        desc.reader_count = two.get() ? 2 : 1;
        desc.mates = 2;
        source::operator=(
            source(desc, std::make_shared<std::pair<reader, reader>>(std::move(one), std::move(two))));
    }
};

#if BIOST_HAS_LOADER
class batch {
    std::shared_ptr<const biost_batch> held_; /* none: empty */

  public:
    batch() = default;
    batch(batch &&) = default;
    batch &operator=(batch &&) = default;
    void release() { held_.reset(); }
    const biost_batch *operator->() const { return &**this; }
    const biost_batch &operator*() const {
        return *(held_ ? held_ : throw error(BIOST_ERR_ARG, "the batch is empty: it was released or moved"));
    }
    /* Of mate 1 where desc.mates is 2: the second one's tensor. */
    template <class T> const T *data(biost_role role = BIOST_ROLE_INPUT, uint32_t mate = 0) const {
        static const size_t kinds[] = {2, 4, 9, 4, 8, 16, 4}; /* of a biost_dtype: bytes * 2, + 1 for float */
        const biost_tensor *tensor = biost_batch_tensor(&**this, role);
        tensor = mate < (**this).mates ? tensor : nullptr;
        if (!tensor || kinds[tensor->dtype] != 2 * sizeof(T) + std::is_floating_point<T>::value) {
            throw error(BIOST_ERR_ARG, tensor ? "the tensor has another dtype (the desc says it, default u8)"
                                       : mate ? "the batch has no tensor of this role and mate"
                                              : "the batch has no tensor of this role");
        }
        return static_cast<const T *>(tensor[mate].data);
    }
    biost_result fill(const std::shared_ptr<biost_loader> &from) {
        release();
        std::unique_ptr<biost_batch> lent(new biost_batch);
        biost_result result = biost_loader_next(from.get(), lent.get());
        if (result == BIOST_OK) {
            held_.reset(lent.release(), [from](const biost_batch *back) {
                biost_loader_release(from.get(), back);
                delete back;
            });
        }
        return result;
    }
};

/* Gives batches of the epoch that began last. A desc as text, as biost_loader_desc_read takes it. */
struct loader : source<batch, biost_loader, biost_loader_desc, biost_loader_open, biost_loader_error,
                       biost_loader_close> {
    using source::source;
    loader(const char *desc, const std::vector<const char *> &paths, std::shared_ptr<void> keep = nullptr) {
        auto call = [&](biost_loader **out, biost_error *why) {
            return biost_loader_open_text(desc, paths.data(), uint32_t(paths.size()), out, why);
        };
        open(call, keep);
    }
    source epoch(uint64_t number) {
        return source(check(biost_loader_begin(get(), number), object_) ? object_ : nullptr);
    }
};
#endif
} // namespace
} // namespace biost
#endif
