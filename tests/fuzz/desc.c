/*
 * desc.c - texts of a loader's desc: text to desc to text is a fixed point, and a refused text changes nothing.
 *
 * Input: the text. What is read must be written as a text that is read as the same again, whatever the room for it; a
 * loader opened by it over one record must give a desc whose text is read, too, and take no more memory than
 * biost_loader_memory says. A text with `=` in it goes to biost_loader_desc_set besides, name and value.
 */
#include "fuzz.h"

enum { DESC_MOST = 1 << 16, DESC_ROOM = 1 << 20 };

static biost_desc_memory desc_first, desc_again;
static char desc_text[DESC_ROOM], desc_text_again[DESC_ROOM];

/* The text of a desc, read and written again. What a text cannot have is named in its last line, which is left out. */
static void desc_check_text(const biost_loader_desc *desc, const char *what) {
    biost_loader_desc again;
    biost_error error;
    size_t count = biost_loader_desc_text(desc, desc_text, sizeof desc_text);
    FUZZ_CHECK(count < sizeof desc_text && strlen(desc_text) == count);
    char *left_out = strncmp(desc_text, "# left out: ", 12) == 0 ? desc_text
                                                                 : strstr(desc_text, "\n# left out: ");
    if (left_out != NULL) {
        left_out += left_out > desc_text; /* the line end before it stays */
        *left_out = '\0';
        count = (size_t)(left_out - desc_text);
    }
    memset(&again, 0, sizeof again);
    if (biost_loader_desc_read(&again, desc_text, &desc_again, &error) != BIOST_OK) {
        FUZZ_FAULT("the text of %s is refused: %s\n%s", what, error.text, desc_text);
    }
    size_t count_again = biost_loader_desc_text(&again, desc_text_again, sizeof desc_text_again);
    if (count != count_again || strcmp(desc_text, desc_text_again) != 0) {
        FUZZ_FAULT("the text of %s comes back as another\n%s---\n%s", what, desc_text, desc_text_again);
    }
}

/* With less room the text is cut, ended by a NUL, and counted whole. */
static void desc_check_room(const biost_loader_desc *desc) {
    size_t count = biost_loader_desc_text(desc, desc_text, sizeof desc_text);
    for (size_t room = 0; room < 40 && room < count; room++) {
        char *cut = (char *)malloc(room + 1);
        FUZZ_CHECK(cut != NULL);
        cut[room] = 7;
        FUZZ_CHECK(biost_loader_desc_text(desc, cut, room) == count && cut[room] == 7);
        FUZZ_CHECK(room == 0 || memchr(cut, 0, room) != NULL);
        free(cut);
    }
}

/* A loader over one record: what it says its desc is has a text, too. */
static void desc_open(biost_loader_desc desc) {
    static const char record[] = ">a\nACGT\n";
    biost_memory input = {record, sizeof record - 1, NULL};
    biost_loader_desc got;
    biost_loader *loader = NULL;
    biost_error error;
    fuzz_memory memory;
    desc.memories = &input;
    desc.memory_count = 1;
    desc.path_count = 0;
    desc.has_fd = 0;
    desc.workers = desc.workers > 2 ? 2 : desc.workers;
    desc.allocator = fuzz_allocator(&memory, 200 << 20);
    uint64_t most = biost_loader_memory(&desc);
    biost_result result = biost_loader_open(&desc, &loader, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_loader_open");
        FUZZ_CHECK(memory.now == 0);
        return;
    }
    biost_loader_get_desc(loader, &got);
    desc_check_text(&got, "an open loader's desc");
    biost_loader_close(loader);
    FUZZ_CHECK(memory.now == 0 && (uint64_t)memory.most <= most);
}

static void desc_set(char *text) {
    biost_loader_desc desc, zero;
    biost_error error;
    char *value = strchr(text, '=');
    if (value == NULL) {
        return;
    }
    *value++ = '\0';
    memset(&desc, 0, sizeof desc);
    memset(&zero, 0, sizeof zero);
    biost_result result = biost_loader_desc_set(&desc, text, value, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_loader_desc_set");
        FUZZ_CHECK(memcmp(&desc, &zero, sizeof desc) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    biost_loader_desc desc, zero;
    biost_error error;
    if (bytes >= DESC_MOST) {
        return 0;
    }
    char *text = (char *)malloc(bytes + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    memset(&desc, 0, sizeof desc);
    memset(&zero, 0, sizeof zero);
    biost_result result = biost_loader_desc_read(&desc, text, &desc_first, &error);
    if (result != BIOST_OK) {
        fuzz_check_error(result, &error, "biost_loader_desc_read");
        FUZZ_CHECK(memcmp(&desc, &zero, sizeof desc) == 0);
    } else {
        desc_check_text(&desc, "a desc");
        desc_check_room(&desc);
        if (fuzz_hash(FUZZ_HASH, data, bytes) % 8 == 0) { /* it takes most of the time */
            desc_open(desc);
        }
    }
    desc_set(text);
    free(text);
    return 0;
}
