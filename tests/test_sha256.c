/*
 * test_sha256.c - the tests' SHA-256 against the examples that NIST publishes for FIPS 180-4, and two of the classic ones.
 *
 * rooms: tests
 * needs: nothing
 */
#include "sha256.h"
#include "test.h"

static void check_hex(const char *message, const char *expected) {
    char hex[65];
    sha256_hex(message, strlen(message), hex);
    CHECK_STR(hex, expected);
}

TEST(sha256, empty) {
    check_hex("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(sha256, one_block) {
    check_hex("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(sha256, two_blocks_of_448_bits) {
    check_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(sha256, two_blocks_of_896_bits) {
    check_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
              "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(sha256, million_a_in_uneven_pieces) {
    uint8_t *message = test_copy(NULL, 1000000);
    size_t at = 0, piece = 1;
    char hex[65];
    sha256 state;
    memset(message, 'a', 1000000);
    sha256_begin(&state);
    while (at < 1000000) {
        size_t take = piece < 1000000 - at ? piece : 1000000 - at;
        sha256_add(&state, message + at, take);
        at += take;
        piece = piece % 777 + 1;
    }
    sha256_end(&state, hex);
    CHECK_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(message);
}
