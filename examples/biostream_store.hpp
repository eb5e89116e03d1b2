/*
 * biostream_store.hpp - stores for biostream.hpp, beside which it is copied: genomes and read sets of which any
 * bases are at hand at once.
 *     biost::store genome("genome.bst");                        // by fxstore, or of a biost_store_desc: built
 *     std::string bases = genome.fetch("chr20", 5000000, 5000100);
 *     biost::store_loader loader("row_bases 512  order exact  regions.kind grid  epochs 1", {genome});
 *     for (biost::batch &batch : loader.epoch(0)) { train(batch.data<uint8_t>(), batch->valid_rows); }
 *
 * Copies of a store are one store, which is closed after all of them and all loaders that were given it, with
 * their batches. The text's groups without inputs have the stores in their order; without groups there is one
 * store. What a text cannot say, as intervals, `more` adds to the desc and its groups; what that points to
 * must live as long as the loader, as `keep` does.
 */
#ifndef BIOSTREAM_STORE_HPP
#define BIOSTREAM_STORE_HPP
#include "biostream.hpp"
#include <functional>

#if BIOST_HAS_STORES
namespace biost {
#if __cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L)
inline namespace cpp17 {
#else
inline namespace cpp11 {
#endif
class store {
    std::shared_ptr<biost_store> object_;
    void take(biost_result result, biost_store *opened, const biost_error &why) {
        if (result != BIOST_OK) {
            throw error(why);
        }
        object_.reset(opened, [](biost_store *closed) { (void)biost_store_close(closed, nullptr); });
    }

  public:
    explicit store(const biost_store_desc &desc) {
        biost_error why;
        biost_store *opened;
        check_version();
        biost_result result = biost_store_build(&desc, &opened, &why);
        take(result, opened, why);
    }
    explicit store(const char *path, const biost_allocator *allocator = nullptr) {
        biost_error why;
        biost_store *opened;
        check_version();
        biost_result result = biost_store_load(path, allocator, &opened, &why);
        take(result, opened, why);
    }
    explicit store(const std::string &path) : store(path.c_str()) {}
    /* The number of a sequence by its name; one that two sequences have is an error. */
    uint64_t find(text name) const {
        uint64_t number, other;
        if (biost_store_find(get(), name.data(), name.size(), &number) != BIOST_OK) {
            throw error(BIOST_ERR_ARG, "the store has no sequence " + std::string(name));
        }
        if (biost_store_find_again(get(), number, &other) == BIOST_OK) {
            throw error(BIOST_ERR_ARG, "two sequences are named " + std::string(name) + ": numbers " +
                                           std::to_string(number) + " and " + std::to_string(other));
        }
        return number;
    }
    /* Bases [start, end) as they are in the file. */
    std::string fetch(text name, uint64_t start, uint64_t end) const {
        biost_store_sequence of = biost_store_sequence();
        uint64_t number = find(name);
        if (biost_store_get(get(), number, &of) != BIOST_OK || start > end || end > of.bases) {
            throw error(BIOST_ERR_ARG, std::string(name) + " has no bases " + std::to_string(start) + " to " +
                                           std::to_string(end) + ": it has " + std::to_string(of.bases));
        }
        std::string bases(size_t(end - start), '\0');
        return biost_store_fetch(get(), number, start, end, &bases[0], nullptr) == BIOST_OK ? bases
                                                                                            : std::string();
    }
    biost_store *get() const { return object_.get(); }
};

/* A loader over stores. */
class store_loader : public loader {
    static loader make(const char *fields, const std::vector<store> &stores,
                       const std::function<void(biost_loader_desc &, biost_group *)> &more,
                       const std::shared_ptr<void> &keep) {
        biost_loader_desc desc = biost_loader_desc();
        std::unique_ptr<biost_desc_memory> memory(new biost_desc_memory);
        biost_error why;
        size_t next = 0;
        if (biost_loader_desc_read(&desc, fields, memory.get(), &why) != BIOST_OK) {
            throw error(why);
        }
        for (uint32_t i = 0; i < desc.group_count && next < stores.size(); ++i) {
            if (memory->groups[i].input_count == 0) {
                memory->groups[i].store = stores[next++].get();
            }
        }
        if (desc.group_count == 0 && !stores.empty()) {
            desc.store = stores[next++].get();
        }
        if (next < stores.size()) {
            throw error(BIOST_ERR_ARG, "there are more stores than groups without inputs");
        }
        if (more) {
            more(desc, memory->groups);
        }
        using kept = std::pair<std::vector<store>, std::shared_ptr<void>>;
        return loader(desc, std::make_shared<kept>(stores, keep));
    }

  public:
    store_loader(const char *fields, const std::vector<store> &stores,
                 const std::function<void(biost_loader_desc &, biost_group *)> &more = nullptr,
                 const std::shared_ptr<void> &keep = nullptr)
        : loader(make(fields, stores, more, keep)) {}
    uint64_t batches_per_epoch() {
        uint64_t count = 0;
        check(biost_loader_batches_per_epoch(get(), &count), object_);
        return count;
    }
};
} // namespace
} // namespace biost
#endif
#endif
