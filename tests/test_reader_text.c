/*
 * test_reader_text.c - what biost_reader makes of a text: a row for each case of how FASTA and FASTQ are
 * read, strict and with each option of biost_text_rules, verdicts worked out by hand; statistics counted by hand;
 * bad records left out; and how the calls next, next_run and next_page go together.
 *
 * Each row is read in all three ways, by the fast path and by the general parser alone, in pages of 16 bytes
 * and whole, and by the reference parser of records_oracle.h, which must come to the same.
 *
 * rooms: records lines reader
 * needs: threads library data
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <unistd.h>

#include "../biostream.h"
#include "test.h"

#include "deflate_maker.h"

#include "records_oracle.h"

#include "reader_collect.h"

#include "sha256.h"

#define TEXT(literal) (literal), sizeof(literal) - 1

enum {
    BOM = 1,
    BLANK = 2,
    REMOVED = 4,
    SKIPPED = 64,
    COMMENTS = 128,
    REPLACED = 256
}; /* as the manual counts */

/*
 * Options in letters:  P pedantic  F four_lines  R require_record  C skip_comments  S strip_blanks
 *                      K keep_gt   I ignore_plus Q phred64         X replace_letters
 *                      d DNA  i DNA_IUPAC  r RNA  p PROTEIN        1..9 skip_bad  * skip_bad all
 */
static biost_text_rules options_of(const char *letters) {
    biost_text_rules o;
    memset(&o, 0, sizeof o);
    for (; *letters != '\0'; ++letters) {
        switch (*letters) {
        case 'P': o.pedantic = 1; break;
        case 'F': o.four_lines = 1; break;
        case 'R': o.require_record = 1; break;
        case 'C': o.skip_comments = 1; break;
        case 'S': o.strip_blanks = 1; break;
        case 'K': o.keep_gt = 1; break;
        case 'I': o.ignore_plus = 1; break;
        case 'Q': o.phred64 = 1; break;
        case 'X': o.replace_letters = 1; break;
        case 'd': o.letters = BIOST_LETTERS_DNA; break;
        case 'i': o.letters = BIOST_LETTERS_DNA_IUPAC; break;
        case 'r': o.letters = BIOST_LETTERS_RNA; break;
        case 'p': o.letters = BIOST_LETTERS_PROTEIN; break;
        case '*': o.skip_bad = UINT64_MAX; break;
        default: o.skip_bad = (uint64_t)(*letters - '0'); break;
        }
    }
    return o;
}

typedef struct text_row {
    const char *what, *options, *text;
    size_t text_bytes;
    const char *records; /* in the form of reader_collect.h */
    uint32_t warnings;
    biost_fault fault;
    uint64_t record, line, text_offset; /* of the fault; record counts from 0 */
} text_row;

#define GOOD(what, options, text, records, warnings) \
    { what, options, TEXT(text), records, warnings, BIOST_FAULT_NONE, 0, 0, 0 }
#define FAIL(what, options, text, records, fault, record, line, at) \
    { what, options, TEXT(text), records, 0, BIOST_FAULT_##fault, record, line, at }
#define FAIL_WARN(what, options, text, records, warnings, fault, record, line, at) \
    { what, options, TEXT(text), records, warnings, BIOST_FAULT_##fault, record, line, at }

/*
 * The cases in the order of the table, which the first words name. Lines count from 1, bytes from 0: the
 * offsets are written out as sums of line lengths where they are not plain to see.
 */
static const text_row rows[] = {
    GOOD("empty file", "", "", "", 0),
    FAIL("empty file, a record demanded", "R", "", "", NO_RECORD, 0, 0, 0),
    GOOD("only blank lines", "", "\n \t\r\n\n", "", BLANK),
    FAIL_WARN("only blank lines, a record demanded", "R", "\n \t\r\n\n", "", BLANK, NO_RECORD, 0, 0, 0),
    FAIL("only blank lines, pedantic", "P", "\n\n", "", BLANK_LINE, 0, 1, 0),
    FAIL("blanks without an end, pedantic", "P", " \t", "", BLANK_LINE, 0, 1, 0),
    FAIL("a lone CR, pedantic", "P", "\r", "", BLANK_LINE, 0, 1, 0),
    GOOD("a record is there, and demanded", "R", ">a\n", ">a\n\n", 0),

    FAIL("first byte is neither '>' nor '@'", "", "ACGT\n>a\nA\n", "", BAD_START, 0, 1, 0),
    FAIL("'#' first", "", "#x\n>a\nA\n", "", BAD_START, 0, 1, 0),
    FAIL("';' first", "", ";x\n>a\nA\n", "", BAD_START, 0, 1, 0),
    GOOD("comments before FASTA left out", "C", "#x\n;y >@\n>a\nA\n", ">a\nA\n", COMMENTS),
    GOOD("comments before FASTQ left out", "C", ";\n#\r\n@a\nA\n+\nI\n", "@a\nA\n+\nI\n", COMMENTS),
    GOOD("comments between blank lines left out", "C", "\n#x\n\n>a\nA\n", ">a\nA\n", BLANK | COMMENTS),
    GOOD("comments and nothing else", "C", "#x\n;y", "", COMMENTS),
    FAIL_WARN("comments and nothing else, a record demanded", "CR", "#x\n;y", "", COMMENTS, NO_RECORD, 0, 0,
              0),
    FAIL_WARN("comments, then junk", "C", "#x\nACGT\n", "", COMMENTS, BAD_START, 0, 2, 3),
    FAIL("a comment after a blank is none", "C", " #x\n>a\n", "", BAD_START, 0, 1, 1),
    FAIL("no comments after a FASTQ record", "C", "@a\nA\n+\nI\n#x\n", "@a\nA\n+\nI\n", BAD_START, 1, 5, 9),
    FAIL("NUL in a comment", "C", "#x\0\n>a\n", "", NUL, 0, 1, 2),
    FAIL("CR in a comment", "C", "#x\ry\n>a\n", "", CR_IN_LINE, 0, 1, 2),
    FAIL("'#' inside FASTA is no comment", "Cd", ">a\n#\n", "", BAD_LETTER, 0, 2, 3),

    GOOD("UTF-8 BOM", "", "\xEF\xBB\xBF>a\nA\n", ">a\nA\n", BOM),
    GOOD("UTF-8 BOM, pedantic", "P", "\xEF\xBB\xBF@a\nA\n+\nI\n", "@a\nA\n+\nI\n", BOM),
    GOOD("UTF-8 BOM, then comments", "C", "\xEF\xBB\xBF;\n>a\nA\n", ">a\nA\n", BOM | COMMENTS),
    FAIL("UTF-16 BOM", "", "\xFF\xFE>\0a\0\n\0", "", UTF16, 0, 1, 0),
    FAIL("UTF-16 BOM is never left out", "*C", "\xFE\xFF\0>\0a", "", UTF16, 0, 1, 0),

    GOOD("CRLF, FASTA", "", ">a x\r\nAC\r\nGT\r\n", ">a x\nACGT\n", 0),
    GOOD("CRLF, FASTQ", "", "@a x\r\nAC\r\n+\r\nIJ\r\n@b\r\nG\r\n+b\r\nK\r\n",
         "@a x\nAC\n+\nIJ\n@b\nG\n+\nK\n", 0),
    GOOD("CRLF is four lines", "FP", "@a\r\nAC\r\n+\r\nIJ\r\n", "@a\nAC\n+\nIJ\n", 0),
    GOOD("CRLF and no last newline", "", "@a\r\nAC\r\n+\r\nIJ", "@a\nAC\n+\nIJ\n", 0),
    GOOD("CRLF and half of the last newline", "", "@a\r\nAC\r\n+\r\nIJ\r", "@a\nAC\n+\nIJ\n", 0),
    GOOD("mixed LF and CRLF", "", "@a\nAC\r\n+\nIJ\r\n@b\r\nG\n+\r\nK\n", "@a\nAC\n+\nIJ\n@b\nG\n+\nK\n", 0),
    FAIL("CR alone inside a line, FASTA", "", ">a\nAC\rGT\n", "", CR_IN_LINE, 0, 2, 5),
    FAIL("CR-only file, FASTA", "", ">a\rACGT\r>b\rAC\r", "", CR_IN_LINE, 0, 1, 2),
    FAIL("CR-only file, FASTQ", "", "@a\rAC\r+\rII\r", "", CR_IN_LINE, 0, 1, 2),
    FAIL("CR alone in a sequence of FASTQ", "S", "@a\nA\r \n+\nII\n", "", CR_IN_LINE, 0, 2, 4),
    FAIL("CR alone in '+', text ignored", "I", "@a\nA\n+\rx\nI\n", "", CR_IN_LINE, 0, 3, 6),
    GOOD("no last newline", "", "@a\nA\n+\nI\n@b\nC\n+\nJ", "@a\nA\n+\nI\n@b\nC\n+\nJ\n", 0),
    GOOD("no last newline, FASTA", "", ">a\nAC\nG", ">a\nACG\n", 0),

    GOOD("blank lines before the first record", "", "\n \n@a\nA\n+\nI\n", "@a\nA\n+\nI\n", BLANK),
    FAIL("blank lines before the first record, pedantic", "P", "\n@a\nA\n+\nI\n", "", BLANK_LINE, 0, 1, 0),
    FAIL("before the first record nothing is left out", "P*", "\n@a\nA\n+\nI\n", "", BLANK_LINE, 0, 1, 0),
    FAIL("blanks, then a record, pedantic", "P", " @a\nA\n+\nI\n", "", BAD_START, 0, 1, 1),
    GOOD("blank lines between FASTQ records", "", "@a\nA\n+\nI\n\n\n@b\nC\n+\nJ\n",
         "@a\nA\n+\nI\n@b\nC\n+\nJ\n", BLANK),
    FAIL("blank lines between FASTQ records, pedantic", "P", "@a\nA\n+\nI\n\n@b\nC\n+\nJ\n", "@a\nA\n+\nI\n",
         BLANK_LINE, 1, 5, 9),
    FAIL("a line of blanks between, pedantic", "P", "@a\nA\n+\nI\n \t\r\n@b\n", "@a\nA\n+\nI\n", BLANK_LINE,
         1, 5, 9),
    GOOD("blank lines at the end", "", "@a\nA\n+\nI\n\n\n \t\n\n\r\n ", "@a\nA\n+\nI\n", BLANK),
    FAIL("blank lines at the end, pedantic", "P", "@a\nA\n+\nI\n\n", "@a\nA\n+\nI\n", BLANK_LINE, 1, 5, 9),
    GOOD("blank line inside a FASTA sequence", "", ">a\n\nAC\n\nGT\n>b\nA\n", ">a\nACGT\n>b\nA\n", BLANK),
    FAIL("blank line inside a FASTA sequence, pedantic", "P", ">a\nAC\n\nGT\n", "", BLANK_LINE, 0, 3, 6),
    FAIL("blank line after a FASTA title, pedantic", "P", ">z\nA\n>a\n\nAC\n", ">z\nA\n", BLANK_LINE, 1, 4,
         8),
    FAIL("line of blanks inside a FASTA sequence, pedantic", "P", ">a\nAC\n \t \nGT\n", "", BLANK_LINE, 0, 3,
         6),
    FAIL("blank line after the last FASTA record, pedantic", "P", ">a\nAC\n\n", "", BLANK_LINE, 0, 3, 6),
    FAIL("blank line inside a FASTQ record", "", "@a\nAC\n\n+\nII\n", "", BAD_SEQ, 0, 3, 6),
    FAIL("blank line before the quality", "", "@a\nAC\n+\n\nII\n", "", LENGTH, 0, 4, 8),

    GOOD("FASTQ over several lines", "", "@a\nAC\nGT\n+\nII\nJJ\n@b\nA\n+\nI\n",
         "@a\nACGT\n+\nIIJJ\n@b\nA\n+\nI\n", 0),
    FAIL("FASTQ over several lines, 4-line only", "F", "@a\nAC\nGT\n+\nII\nJJ\n", "", BAD_SEP, 0, 3, 6),
    FAIL("quality on two lines, 4-line only", "F", "@a\nACGT\n+\nII\nJJ\n", "", LENGTH, 0, 4, 10),
    FAIL("blank third line, 4-line only", "F", "@a\nAC\n\n+\nII\n", "", BAD_SEP, 0, 3, 6),
    FAIL("a title as third line, 4-line only", "F", "@a\nAC\n@b\nAC\n", "", BAD_SEP, 0, 3, 6),
    FAIL("an empty read's third line, 4-line only", "F", "@a\n\nAC\n+\n\n", "", BAD_SEP, 0, 3, 4),
    FAIL("quality cut off, 4-line only", "F", "@a\nACGT\n+\nII", "", TRUNCATED, 0, 4, 12),
    GOOD("four lines, 4-line only", "F", "@a\nAC\n+\nII\n@b\n\n+\n\n@c\nG\n+c\nI",
         "@a\nAC\n+\nII\n@b\n\n+\n\n@c\nG\n+\nI\n", 0),
    GOOD("quality line starts with '@' or '+'", "", "@a\nA\n+\n@\n@b\nAC\n+\n+@\n@c\nACGT\n+\n@I\n+I\n",
         "@a\nA\n+\n@\n@b\nAC\n+\n+@\n@c\nACGT\n+\n@I+I\n", 0),
    GOOD("empty read", "", "@a\n\n+\n\n@b\nA\n+\nI\n", "@a\n\n+\n\n@b\nA\n+\nI\n", 0),
    GOOD("empty read, CRLF", "", "@a\r\n\r\n+\r\n\r\n@b\r\nA\r\n+\r\nI\r\n", "@a\n\n+\n\n@b\nA\n+\nI\n", 0),
    GOOD("empty read at the end, last empty line missing", "", "@a\n\n+\n", "@a\n\n+\n\n", 0),
    GOOD("empty read at the end, 4-line only", "F", "@a\n\n+", "@a\n\n+\n\n", 0),
    FAIL("empty read without its lines", "", "@a\n+\n@b\nA\n+\nI\n", "", BAD_SEQ, 0, 2, 3),
    FAIL("'+' where the bases begin", "", "@z\nA\n+\nI\n@a\n+A\n+\nII\n", "@z\nA\n+\nI\n", BAD_SEQ, 1, 6, 12),
    GOOD("empty FASTA record", "", ">a\n>b\nA\n>c\n", ">a\n\n>b\nA\n>c\n\n", 0),
    GOOD("title only, at end of file", "", ">a", ">a\n\n", 0),
    GOOD("title only, pedantic", "P", ">a\n>b", ">a\n\n>b\n\n", 0),

    GOOD("no name, FASTA", "", ">\nA\n", ">\nA\n", 0),
    GOOD("no name, FASTQ", "", "@\nA\n+\nI\n", "@\nA\n+\nI\n", 0),
    FAIL("no name, FASTA, pedantic", "P", ">a\nA\n>\nA\n", ">a\nA\n", NO_NAME, 1, 3, 5),
    FAIL("no name, FASTQ, pedantic", "P", "@a\nA\n+\nI\n@\nA\n+\nI\n", "@a\nA\n+\nI\n", NO_NAME, 1, 5, 9),
    FAIL("title of blanks, pedantic", "P", "@ \t\nA\n+\nI\n", "", NO_NAME, 0, 1, 0),
    GOOD("blank after '>', pedantic: there is a name", "P", "> a x\nA\n", "> a x\nA\n", 0),
    GOOD("Ctrl-A, UTF-8, Latin-1 in the title", "P",
         ">a\x01"
         "b \xC3\xA9\xE9\x7F\nA\n",
         ">a\x01"
         "b \xC3\xA9\xE9\x7F\nA\n",
         0),
    FAIL("NUL in a title", "", ">a\0\nA\n", "", NUL, 0, 1, 2),
    FAIL("NUL in a sequence", "", "@a\nA\0\n+\nII\n", "", NUL, 0, 2, 4),
    FAIL("NUL in '+', text ignored", "I", "@a\nA\n+b\0\nI\n", "", NUL, 0, 3, 7),
    FAIL("NUL in a quality, Phred + 64", "Q", "@a\nAC\n+\nh\0\n", "", NUL, 0, 4, 9),

    FAIL("blank in a FASTQ sequence", "", "@a\nA C\n+\nIII\n", "", BAD_SEQ_BYTE, 0, 2, 4),
    FAIL("blank at the end of a FASTQ sequence", "", "@a\nAC \n+\nII\n", "", BAD_SEQ_BYTE, 0, 2, 5),
    GOOD("blanks at line ends left out", "S", "@a\nAC \t\n+\nII\n@b\nG\r\n+\nJ\n",
         "@a\nAC\n+\nII\n@b\nG\n+\nJ\n", REMOVED),
    GOOD("blanks at line ends left out, several lines, CRLF", "S", "@a\r\nAC \r\nGT\t\t\r\n+\r\nIIII\r\n",
         "@a\nACGT\n+\nIIII\n", REMOVED),
    GOOD("a line of blanks is an empty read's", "S", "@a\n \n+\n\n", "@a\n\n+\n\n", REMOVED),
    FAIL("blank inside a line stays an error", "S", "@a\nA C \n+\nIII\n", "", BAD_SEQ_BYTE, 0, 2, 4),
    FAIL("blank at the end of a quality stays an error", "S", "@a\nAC\n+\nI \n", "", BAD_QUAL_BYTE, 0, 4, 9),
    FAIL("control byte in a FASTQ sequence", "", "@a\nA\x1B\n+\nII\n", "", BAD_SEQ_BYTE, 0, 2, 4),
    FAIL("high byte in a FASTQ sequence", "", "@a\nAC\x80\n+\nIII\n", "", BAD_SEQ_BYTE, 0, 2, 5),
    FAIL("DEL in a FASTA sequence", "", ">a\nA\x7F\n", "", BAD_SEQ_BYTE, 0, 2, 4),
    GOOD("blanks and tabs in a FASTA sequence", "", ">a\n AC GT\t\nA \n", ">a\nACGTA\n", REMOVED),
    FAIL("blanks in a FASTA sequence, pedantic", "P", ">a\nAC GT\n", "", BAD_SEQ_BYTE, 0, 2, 5),
    FAIL("blank first in a FASTA sequence line, pedantic", "P", ">a\nAC\n  GT\n", "", BAD_SEQ_BYTE, 0, 3, 6),
    FAIL("tab last in a FASTA sequence line, pedantic", "P", ">a\nACGT\t\n", "", BAD_SEQ_BYTE, 0, 2, 7),

    GOOD("lower case, IUPAC, gaps, U, protein letters", "", ">a\nacgtRYSWKMBDHVNnU-.*EFILPQZJOX\n",
         ">a\nacgtRYSWKMBDHVNnU-.*EFILPQZJOX\n", 0),
    GOOD("digits in a FASTA line", "", ">a\n  1 acgt\n", ">a\n1acgt\n", REMOVED),
    GOOD("DNA", "d", ">a\nACGTNacgtn\n", ">a\nACGTNacgtn\n", 0),
    FAIL("DNA has no R", "d", ">a\nACGTR\n", "", BAD_LETTER, 0, 2, 7),
    FAIL("DNA has no '!', the byte after the blank", "d", "@a\nA!C\n+\nIII\n", "", BAD_LETTER, 0, 2, 4),
    GOOD("'!' to N, one for one", "dX", "@a\nA!C\n+\nIJK\n", "@a\nANC\n+\nIJK\n", REPLACED),
    FAIL("DNA has no '!' in lines", "d", "@a\nA\nC!\n+\nIII\n", "", BAD_LETTER, 0, 3, 6),
    FAIL("DNA has no U", "d", "@a\nAU\n+\nII\n", "", BAD_LETTER, 0, 2, 4),
    FAIL("DNA has no digits", "d", ">a\n1 ACGT\n", "", BAD_LETTER, 0, 2, 3),
    GOOD("DNA and IUPAC", "i", "@a\nACGTNRYSWKMBDHVacgtnryswkmbdhv\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n",
         "@a\nACGTNRYSWKMBDHVacgtnryswkmbdhv\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n", 0),
    FAIL("DNA and IUPAC have no gaps", "i", ">a\nAC-GT\n", "", BAD_LETTER, 0, 2, 5),
    GOOD("RNA", "r", ">a\nACGUNacgun\n", ">a\nACGUNacgun\n", 0),
    FAIL("RNA has no T", "r", ">a\nACGU\nT\n", "", BAD_LETTER, 0, 3, 8),
    GOOD("protein", "p", ">a\nABCDEFGHIJKLMNOPQRSTUVWXYZ*\nabcdefghijklmnopqrstuvwxyz\n",
         ">a\nABCDEFGHIJKLMNOPQRSTUVWXYZ*abcdefghijklmnopqrstuvwxyz\n", 0),
    FAIL("protein has no gaps", "p", ">a\nMK.L\n", "", BAD_LETTER, 0, 2, 5),
    GOOD("other letters to N", "dX", "@a\nAURr-1cn\n+\nIIIIIIII\n", "@a\nANNNNNcn\n+\nIIIIIIII\n", REPLACED),
    GOOD("other letters to N, FASTA", "rX", ">a\nACGT\ntu\n", ">a\nACGNNu\n", REPLACED),
    GOOD("other letters to X", "pX", ">a\nM-K1*\n", ">a\nMXKX*\n", REPLACED),
    GOOD("nothing to replace", "dX", ">a\nACGTn\n", ">a\nACGTn\n", 0),
    FAIL("what is no letter is not replaced", "dX", ">a\nA\x80\n", "", BAD_SEQ_BYTE, 0, 2, 4),
    FAIL("of FASTQ all else is told before a letter", "d", "@a\nAX\n+\nI\x7F\n", "", BAD_QUAL_BYTE, 0, 4, 9),
    FAIL("a letter in the second line of FASTQ", "d", "@a\nAC\nGX\n+\nIIII\n", "", BAD_LETTER, 0, 3, 7),
    FAIL_WARN("a letter in the second line, blanks left out", "dS", "@a\nAC \nGX\n+\nIIII\n", "", REMOVED,
              BAD_LETTER, 0, 3, 8),
    FAIL("of FASTA a letter is told at its line", "d", ">a\nAX\nA\x7F\n", "", BAD_LETTER, 0, 2, 4),

    FAIL("'>' inside a FASTA line", "", ">a\nAC>b\nGT\n", "", GT_IN_SEQ, 0, 2, 5),
    GOOD("'>' inside a FASTA line kept", "K", ">a\nAC>b\nGT>\n>c\nA >\n", ">a\nAC>bGT>\n>c\nA>\n", REMOVED),
    /* joined, the line would start with it */
    FAIL("'>' after blanks is not inside", "K", ">a\n >b\n", "", GT_IN_SEQ, 0, 2, 4),
    GOOD("'>' kept, then replaced", "KdX", ">a\nAC>GT\n", ">a\nACNGT\n", REPLACED),
    FAIL("'>' kept is no DNA", "Kd", ">a\nAC>GT\n", "", BAD_LETTER, 0, 2, 5),
    FAIL("'@' line in FASTA", "", ">a\nAC\n@b\nGT\n", "", FASTQ_IN_FASTA, 0, 3, 6),
    FAIL("'+' line in FASTA", "K", ">a\nAC\n+\nII\n", "", FASTQ_IN_FASTA, 0, 3, 6),
    FAIL("';' line in FASTA", "", ">a\nAC\n;b\nGT\n", "", COMMENT_LINE, 0, 3, 6),
    GOOD("';' lines in FASTA left out", "C", ">a\n;x\nAC\n;>\nGT\n;y\n>b\nA;C\n;", ">a\nACGT\n>b\nA;C\n",
         COMMENTS),
    FAIL_WARN("NUL in a ';' line left out", "C", ">a\nAC\n;x\n;y\0\nGT\n", "", COMMENTS, NUL, 0, 4, 11),
    FAIL("'@' first in a FASTQ sequence", "", "@a\n@C\n+\nII\n", "", BAD_SEQ_BYTE, 0, 2, 3),
    FAIL("'>' first in a FASTQ sequence", "K", "@a\n>C\n+\nII\n", "", BAD_SEQ_BYTE, 0, 2, 3),

    GOOD("'+' repeats the title", "", "@a x\nA\n+a x\nI\n@b\tx\nC\n+b\nJ\n",
         "@a x\nA\n+\nI\n@b\tx\nC\n+\nJ\n", 0),
    FAIL("'+' differs", "", "@a x\nA\n+b\nI\n", "", PLUS_MISMATCH, 0, 3, 7),
    GOOD("'+' differs, ignored", "I", "@a x\nA\n+b\nI\n@c\nA\n+ \nI\n", "@a x\nA\n+\nI\n@c\nA\n+\nI\n", 0),
    FAIL("quality is longer", "", "@a\nAC\n+\nIII\n", "", LENGTH, 0, 4, 8),
    FAIL("quality is shorter", "", "@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", "", LENGTH, 0, 5, 14),
    FAIL("quality is shorter, 4-line only", "F", "@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", "", LENGTH, 0, 4, 10),
    FAIL("blank in a quality", "", "@a\nAC\n+\nI \n", "", BAD_QUAL_BYTE, 0, 4, 9),
    FAIL("DEL in a quality", "", "@a\nAC\n+\n\x7FI\n", "", BAD_QUAL_BYTE, 0, 4, 8),
    FAIL("0xFF in a quality", "", "@a\nAC\n+\nI\xFF\n", "", BAD_QUAL_BYTE, 0, 4, 9),
    FAIL("ESC in a quality", "", "@a\nAC\n+\nI\x1B\n", "", BAD_QUAL_BYTE, 0, 4, 9),
    GOOD("Phred + 64 is not guessed", "", "@a\nAC\n+\nh@\n", "@a\nAC\n+\nh@\n", 0),
    GOOD("Phred + 64", "Q", "@a\nACG\n+\n@h~\n@b\nA\nC\n+\nB\nI\n", "@a\nACG\n+\n!I_\n@b\nAC\n+\n#*\n", 0),
    FAIL("Phred + 64, a byte below 64", "Q", "@a\nACG\n+\nh?h\n", "", BAD_QUAL_BYTE, 0, 4, 10),
    GOOD("Phred + 64 does not touch FASTA", "Q", ">a\nAC\n", ">a\nAC\n", 0),

    FAIL("truncated in the title", "", "@a\nA\n+\nI\n@b", "@a\nA\n+\nI\n", TRUNCATED, 1, 5, 11),
    FAIL("truncated in the sequence", "", "@a\nA\n+\nI\n@b\nAC", "@a\nA\n+\nI\n", TRUNCATED, 1, 6, 14),
    FAIL("truncated in '+'", "", "@a\nA\n+\nI\n@b\nAC\n+", "@a\nA\n+\nI\n", TRUNCATED, 1, 7, 16),
    FAIL("truncated in the quality", "", "@a\nA\n+\nI\n@b\nAC\n+\nI", "@a\nA\n+\nI\n", TRUNCATED, 1, 8, 18),
    FAIL("truncated after a line of quality", "", "@a\nA\n+\nI\n@b\nAC\n+\nI\n", "@a\nA\n+\nI\n", TRUNCATED,
         1, 8, 19),
    FAIL("junk line between records", "", "@a\nA\n+\nI\nx\n@b\nC\n+\nJ\n", "@a\nA\n+\nI\n", BAD_START, 1, 5,
         9),
    FAIL("FASTA record in a FASTQ file", "", "@a\nA\n+\nI\n>b\nC\n", "@a\nA\n+\nI\n", BAD_START, 1, 5, 9),
    FAIL("FASTQ record in a FASTA file", "", ">a\nA\n@b\nC\n+\nJ\n", "", FASTQ_IN_FASTA, 0, 3, 5),
    GOOD("duplicate names", "", ">a\nA\n>a\nA\n", ">a\nA\n>a\nA\n", 0),

    /* how FASTQ over several lines is read, point by point */
    GOOD("1: the 4-line form", "", "@a\nAC\n+\nII\n", "@a\nAC\n+\nII\n", 0),
    FAIL("2: an empty line among sequence lines", "", "@a\nAC\n\nGT\n+\nIIII\n", "", BAD_SEQ, 0, 3, 6),
    FAIL("2: '@' among sequence lines", "", "@a\nAC\nGT\n@b\nA\n+\nI\n", "", BAD_SEP, 0, 4, 9),
    FAIL("2: '>' among sequence lines", "", "@a\nAC\n>b\nA\n", "", BAD_SEP, 0, 3, 6),
    FAIL("3: quality of several lines is too long", "", "@a\nACG\n+\nII\nII\n", "", LENGTH, 0, 5, 12),
    FAIL("3: the end comes first", "", "@a\nACG\n+\nI\nI\n", "", TRUNCATED, 0, 5, 13),
    FAIL("4: a short quality eats a title of the right length", "", "@a\nACGT\n+\nII\n@b\nAC\n+\nII\n", "",
         LENGTH, 0, 5, 13),
    FAIL("4: the same, 4-line only", "F", "@a\nACGT\n+\nII\n@b\nAC\n+\nII\n", "", LENGTH, 0, 4, 10),
    GOOD("4: a blank line follows", "", "@a\nACGT\n+\nII\nII\n\n@b\nA\n+\nI\n",
         "@a\nACGT\n+\nIIII\n@b\nA\n+\nI\n", BLANK),
    FAIL("4: a blank line follows, pedantic", "P", "@a\nACGT\n+\nII\nII\n\n@b\nA\n+\nI\n",
         "@a\nACGT\n+\nIIII\n", BLANK_LINE, 1, 6, 16),
    GOOD("4: the end follows", "", "@a\nACGT\n+\nII\nII", "@a\nACGT\n+\nIIII\n", 0),

    /* bad records left out; the numbers of faults count what was left out */
    GOOD("a bad record left out", "1", "@a\nA\n+\nI\n@b\nACG\n+\nI\n@c\nG\n+\nK\n",
         "@a\nA\n+\nI\n@c\nG\n+\nK\n", SKIPPED),
    FAIL_WARN("one more than may be left out", "1",
              "@a\nA\x80\n+\nII\n@b\nG\n+\nJ\n@c\nA\x80\n+\nII\n@d\nG\n+\nJ\n", "@b\nG\n+\nJ\n", SKIPPED,
              BAD_SEQ_BYTE, 2, 10, 24),
    GOOD("all may be left out", "*", "@a\nA\x80\n+\nII\n@b\nG\n+\nJ\n@c\nA\x80\n+\nII\n@d\nG\n+\nJ\n",
         "@b\nG\n+\nJ\n@d\nG\n+\nJ\n", SKIPPED),
    GOOD("junk between records left out", "1", "@a\nA\n+\nI\nx\ny\n@b\nC\n+\nJ\n",
         "@a\nA\n+\nI\n@b\nC\n+\nJ\n", SKIPPED),
    GOOD("the search begins after the bad record's first line", "1", "@a\n@b\nC\n+\nJ\n", "@b\nC\n+\nJ\n",
         SKIPPED),
    GOOD("a quality that starts with '@' is no start", "1", "@a\nAC\n+b\n@I\n@c\nG\n+\nK\n", "@c\nG\n+\nK\n",
         SKIPPED),
    GOOD("only four lines of equal lengths are a start", "2",
         "@a\nA\x80\n+\nII\n@b\nACG\n+\nI\n@c\nG\n+\nK\n", "@c\nG\n+\nK\n", SKIPPED),
    GOOD("an empty read is a start", "1", "@a\nA\x80\n+\nII\n@b\n\n+\n\n@c\nG\n+\nK\n",
         "@b\n\n+\n\n@c\nG\n+\nK\n", SKIPPED),
    GOOD("an empty read without its last line is none", "2", "@a\nA\x80\n+\nII\n@b\n\n+\n", "", SKIPPED),
    GOOD("a start may end with the text", "1", "@a\nA\x80\n+\nII\n@b\nAC\n+\nII", "@b\nAC\n+\nII\n", SKIPPED),
    GOOD("CR is not counted", "1", "@a\nA\x80\n+\nII\n@b\r\nAC\n+\r\nII\r\n", "@b\nAC\n+\nII\n", SKIPPED),
    GOOD("a start that is no record is left out too", "2", "@a\nA\x80\n+\nII\n@b\nAC\n+x\nII\n@c\nG\n+\nK\n",
         "@c\nG\n+\nK\n", SKIPPED),
    GOOD("nothing is found: the end", "2", "@a\nA\n+\nI\n@b\nA\x80\n+\nII\nx\n", "@a\nA\n+\nI\n", SKIPPED),
    FAIL("one gap may be more than may be left out", "1", "@a\nA\n+\nI\n@b\nA\x80\n+\nII\nx\n",
         "@a\nA\n+\nI\n", BAD_SEQ_BYTE, 1, 6, 13),
    FAIL_WARN("nothing is found, and none was found", "1R", "@a\nA\x80\n+\nII\n", "", SKIPPED, NO_RECORD, 0,
              0, 0),
    FAIL("a cut-off end stays", "*", "@a\nA\n+\nI\n@b\nAC\n+\nI", "@a\nA\n+\nI\n", TRUNCATED, 1, 8, 18),
    GOOD("a cut-off record with a good one inside", "1", "@a\nACGTACGTA\n+\nI\n@b\nAC\n+\nII\n",
         "@b\nAC\n+\nII\n", SKIPPED),
    FAIL("junk before the first record stays", "*", "x\n@a\nA\n+\nI\n", "", BAD_START, 0, 1, 0),
    GOOD("a bad first record is left out", "1", "@a\0\nA\n+\nI\n@b\nC\n+\nJ\n", "@b\nC\n+\nJ\n", SKIPPED),
    GOOD("FASTA: on at the next title", "1", ">a\nA\x80\nGT\n>b\nAC\n", ">b\nAC\n", SKIPPED),
    GOOD("FASTA: a bad title", "1", ">a\0\nAC\n>b\nGT\n", ">b\nGT\n", SKIPPED),
    GOOD("FASTA: '>' inside a line is no title", "1", ">a\nA>\nG>T\n>b\nAC\n", ">b\nAC\n", SKIPPED),
    GOOD("FASTA: nothing is found", "1", ">a\nAC\n>b\nA\x80", ">a\nAC\n", SKIPPED),
    GOOD("FASTA: a FASTQ record left out", "1", ">a\nAC\n>b\n@b\nC\n+\nJ\n>c\nG\n", ">a\nAC\n>c\nG\n",
         SKIPPED),
    GOOD("a blank line left out as a record, pedantic", "P1", "@a\nA\n+\nI\n\n@b\nC\n+\nJ\n",
         "@a\nA\n+\nI\n@b\nC\n+\nJ\n", SKIPPED),
    GOOD("a letter left out", "d1", "@a\nAX\n+\nII\n@b\nC\n+\nJ\n", "@b\nC\n+\nJ\n", SKIPPED),
    GOOD("a FASTA record in FASTQ left out", "1", "@a\nA\n+\nI\n>x\nAC\n@b\nC\n+\nJ\n",
         "@a\nA\n+\nI\n@b\nC\n+\nJ\n", SKIPPED),
};

/* What the reference says of a row is what the row says. */
static void check_reference(const text_row *row, const biost_text_rules *options) {
    collected c;
    ref r;
    size_t i;
    memset(&c, 0, sizeof c);
    ref_parse(&r, row->text, row->text_bytes, UINT64_MAX, options, 0);
    for (i = 0; i < r.record_count; ++i) {
        const ref_record *record = &r.records[i];
        int fastq = r.format == BIOST_FORMAT_FASTQ;
        collect_bytes(&c.text, fastq ? "@" : ">", 1);
        collect_bytes(&c.text, row->text + record->title, record->title_bytes);
        collect_bytes(&c.text, "\n", 1);
        collect_bytes(&c.text, r.seqs.data + record->seq, record->bases);
        collect_bytes(&c.text, fastq ? "\n+\n" : "\n", fastq ? 3 : 1);
        collect_bytes(&c.text, r.quals.data + record->qual, fastq ? record->bases : 0);
        collect_bytes(&c.text, "\n", fastq ? 1 : 0);
    }
    if (CHECK_EQ_U64(c.text.count, strlen(row->records)) && c.text.count > 0) {
        CHECK_MEM(c.text.data, row->records, c.text.count);
    }
    CHECK_EQ_U64(r.bad.fault, row->fault);
    CHECK_EQ_U64(r.bad.record, row->record);
    CHECK_EQ_U64(r.bad.line, row->line);
    CHECK_EQ_U64(r.bad.text_offset, row->text_offset);
    CHECK_EQ_U64(r.warnings, row->warnings);
    collected_free(&c);
    ref_free(&r);
}

static void check_row(const text_row *row, const biost_reader_desc *desc, collect_style style) {
    collected c;
    collect(&c, desc, style);
    CHECK_STR(biost_fault_name(c.error.fault), biost_fault_name(row->fault));
    CHECK(c.result == (row->fault == BIOST_FAULT_NONE ? BIOST_END : BIOST_ERR_TEXT));
    CHECK_EQ_U64(c.error.record, row->record);
    CHECK_EQ_U64(c.error.line, row->line);
    CHECK_EQ_U64(c.error.text_offset, row->text_offset);
    CHECK_EQ_U64(c.warnings, row->warnings);
    if (CHECK_EQ_U64(c.text.count, strlen(row->records)) && c.text.count > 0) {
        CHECK_MEM(c.text.data, row->records, c.text.count);
    }
    CHECK_EQ_U64(c.progress.record_count, c.records);
    collected_free(&c);
}

TEST(reader_text, every_case) {
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const text_row *row = &rows[i];
        biost_text_rules options = options_of(row->options);
        uint8_t *text = test_copy(row->text, row->text_bytes);
        unsigned k;
        test_note("%s: the reference", row->what);
        check_reference(row, &options);
        for (k = 0; k < 12; ++k) {
            biost_reader_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.memory.data = text;
            desc.memory.bytes = row->text_bytes;
            desc.text = options;
            desc.test.general = k / 3 % 2 == 1;
            desc.test.page_bytes = k / 6 == 1 ? 16 : 0;
            test_note("%s: %s%s%s", row->what, collect_names[k % 3], desc.test.general ? ", general" : "",
                      k / 6 == 1 ? ", pages of 16" : "");
            check_row(row, &desc, (collect_style)(k % 3));
        }
        free(text);
    }
}

/* ---- the hard cases of tests/data, in all three ways ---- */

/* Columns: file, format, verdict, records, bases, sha256, fault, line. */
static void check_hard_case(char *columns[8]) {
    static const char *const formats[] = {"empty", "fasta", "fastq"};
    char path[256], digest[65];
    size_t count;
    uint8_t *data;
    unsigned k;
    snprintf(path, sizeof path, TEST_DATA "/semantics/%s", columns[0]);
    data = test_read_file(path, &count);
    if (data == NULL) {
        return;
    }
    for (k = 0; k < 12; ++k) {
        biost_reader_desc desc;
        collected c;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = data;
        desc.memory.bytes = count;
        desc.test.general = k / 3 % 2 == 1;
        desc.test.page_bytes = k / 6 == 1 ? 16 : 0;
        test_note("%s: %s%s", columns[0], collect_names[k % 3], desc.test.general ? ", general" : "");
        collect(&c, &desc, (collect_style)(k % 3));
        CHECK_STR(c.result == BIOST_END ? "valid" : "invalid", columns[2]);
        CHECK_STR(formats[c.format], strcmp(columns[1], "-") == 0 ? "empty" : columns[1]);
        CHECK_EQ_U64(c.records, strtoull(columns[3], NULL, 10));
        CHECK_EQ_U64(c.bases, strtoull(columns[4], NULL, 10));
        CHECK_STR(c.result == BIOST_END ? "-" : biost_fault_name(c.error.fault), columns[6]);
        CHECK_EQ_U64(c.error.line, strtoull(columns[7], NULL, 10)); /* "-" reads as 0 */
        if (columns[5][0] != '-') {
            sha256_hex(c.text.data == NULL ? (const uint8_t *)"" : c.text.data, c.text.count, digest);
            CHECK_STR(digest, columns[5]);
        }
        collected_free(&c);
    }
    free(data);
}

/* Text in front of the fault: as README.md says where blocks fail, else the table's. */
static uint64_t good_bytes(const char *name, uint64_t bytes) {
    return strstr(name, "b05") != NULL                                  ? 6000
           : strstr(name, "b11") != NULL || strstr(name, "b12") != NULL ? 0
           : strstr(name, "b21") != NULL                                ? 2000
                                                                        : bytes;
}

/* The end of the last record of four lines that lies in the first `bytes` of the text. */
static size_t whole_records(const uint8_t *text, uint64_t bytes) {
    size_t at, end = 0, lines = 0;
    for (at = 0; at < bytes; ++at) {
        lines += text[at] == '\n';
        end = text[at] == '\n' && lines % 4 == 0 ? at + 1 : end;
    }
    return end;
}

/*
 * The streams hold 60 records of FASTQ, four lines each, which come out as they went in; a few hold something
 * else. What comes before a fault is a prefix.
 */
static void check_gzip_case(char *columns[8], const uint8_t *text, size_t text_bytes) {
    char path[256];
    size_t count;
    uint8_t *data;
    unsigned k;
    int valid = strcmp(columns[2], "valid") == 0;
    uint64_t bytes = strtoull(columns[4], NULL, 10);
    snprintf(path, sizeof path, TEST_DATA "/semantics/%s", columns[0]);
    data = test_read_file(path, &count);
    if (data == NULL) {
        return;
    }
    for (k = 0; k < 12; ++k) {
        biost_reader_desc desc;
        collected c;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = data;
        desc.memory.bytes = count;
        desc.workers = k / 6 == 1 ? 2 : 0;
        desc.test.page_bytes = k / 3 % 2 == 1 ? 100 : 0;
        test_note("%s: %s", columns[0], collect_names[k % 3]);
        collect(&c, &desc, (collect_style)(k % 3));
        if (valid && (bytes == 0 || bytes == text_bytes)) {
            CHECK(c.result == BIOST_END);
            CHECK_EQ_U64(c.text.count, bytes);
        } else if (!valid && strstr(columns[0], "d08") == NULL) { /* d08 holds "aaaaaaa" */
            CHECK(c.result == BIOST_ERR_GZIP);
            CHECK_STR(biost_fault_name(c.error.fault), columns[6]);
            if (columns[0][5] == 'b') { /* a block is checked before anything of it comes out */
                CHECK_EQ_U64(c.text.count, whole_records(text, good_bytes(columns[0], bytes)));
            }
        }
        CHECK(c.text.count <= text_bytes);
        CHECK(c.text.count == 0 || memcmp(c.text.data, text, c.text.count) == 0);
        collected_free(&c);
    }
    free(data);
}

TEST(reader_text, hard_cases) {
    size_t bytes;
    uint8_t *table = test_read_file(TEST_DATA "/semantics/EXPECTED.tsv", &bytes);
    uint8_t *at = table, *end, *text;
    unsigned cases = 0;
    size_t text_bytes;
    text = test_read_file(TEST_DATA "/semantics/gzip/h14_plain_text.gz", &text_bytes);
    REQUIRE(table != NULL && text != NULL);
    end = table + bytes;
    while (at < end) {
        char *columns[8];
        int count = 0;
        columns[count++] = (char *)at;
        for (; at < end && *at != '\n'; ++at) {
            if (*at == '\t' && count < 8) {
                *at = 0;
                columns[count++] = (char *)at + 1;
            }
        }
        if (at < end) {
            *at++ = 0;
        }
        if (count == 8 && strncmp(columns[0], "fastx/", 6) == 0) {
            check_hard_case(columns);
            ++cases;
        } else if (count == 8 && strncmp(columns[0], "gzip/", 5) == 0) {
            check_gzip_case(columns, text, text_bytes);
            ++cases;
        }
    }
    CHECK_EQ_U64(cases, 171);
    free(table);
    free(text);
}

/* ---- small help ---- */

static biost_reader_desc desc_of(const void *text, size_t text_bytes) {
    biost_reader_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = text_bytes;
    return desc;
}

static biost_reader *open_text(const biost_reader_desc *desc) {
    biost_reader *reader = NULL;
    biost_error error;
    if (!CHECK(biost_reader_open(desc, &reader, &error) == BIOST_OK)) {
        printf("    %s\n", error.text);
    }
    return reader;
}

static int is_words(const char *words, const char *from, size_t bytes) {
    return strlen(words) == bytes && memcmp(words, from, bytes) == 0;
}

/* `count` FASTA records of `bases` bases in lines of `width`; titles r0, r1... Free its data. */
static ref_bytes fasta_text(unsigned count, unsigned bases, unsigned width) {
    ref_bytes text;
    unsigned i, k;
    memset(&text, 0, sizeof text);
    for (i = 0; i < count; ++i) {
        char title[32];
        snprintf(title, sizeof title, ">r%u c\n", i);
        collect_bytes(&text, title, strlen(title));
        for (k = 0; k < bases; ++k) {
            ref_add(&text, (uint8_t) "ACGT"[(k + i) % 4]);
            if ((k + 1) % width == 0 || k + 1 == bases) {
                ref_add(&text, '\n');
            }
        }
    }
    return text;
}

/* `count` FASTQ records of `bases` bases; record i is r<i>. */
static ref_bytes fastq_text(unsigned count, unsigned bases) {
    ref_bytes text;
    unsigned i, k;
    memset(&text, 0, sizeof text);
    for (i = 0; i < count; ++i) {
        char title[32];
        snprintf(title, sizeof title, "@r%u\n", i);
        collect_bytes(&text, title, strlen(title));
        for (k = 0; k < bases; ++k) {
            ref_add(&text, (uint8_t) "ACGT"[(k + i) % 4]);
        }
        collect_bytes(&text, "\n+\n", 3);
        for (k = 0; k < bases; ++k) {
            ref_add(&text, (uint8_t)(33 + (k + i) % 94));
        }
        ref_add(&text, '\n');
    }
    return text;
}

/* ---- statistics ---- */

/*
 * Twelve bases, A C G T N a c g t n U -, with scores 0 10 20 30 40 93 and six times 2. 2^31 x 10^(-Q/10):
 * 2147483648, 214748364.8, 21474836.48, 2147483.648, 214748.3648, 1.08 and six times 1354970579.7; rounded
 * and added up: 2147483648 + 214748365 + 21474836 + 2147484 + 214748 + 1 + 8129823480 = 10515892562.
 */
TEST(reader_text, statistics_by_hand) {
    static const struct {
        const char *what, *options, *text;
        uint64_t qual_sum, error_sum, acgt, gc, n;
        uint32_t qual_min, qual_max;
    } cases[] = {
        {"FASTQ", "", "@a\nACGTNacgtnU-\n+\n!+5?I~######\n", 205, 10515892562u, 8, 4, 2, 0, 93},
        {"over several lines", "", "@a\nACGTNac\ngtnU-\n+\n!+5?I~#\n#####\n", 205, 10515892562u, 8, 4, 2, 0,
         93},
        {"CRLF", "", "@a\r\nACGTNacgtnU-\r\n+\r\n!+5?I~######\r\n", 205, 10515892562u, 8, 4, 2, 0, 93},
        {"Phred + 64", "Q", "@a\nACG\n+\n@J~\n", 72, 2147483648u + 214748365u + 1355, 3, 2, 0, 0, 62},
        {"replaced by N", "dX", "@a\nAURN\n+\n++++\n", 40, 4 * 214748365u, 1, 0, 3, 10, 10},
        {"replaced by X", "pX", "@a\nA-Cn\n+\n++++\n", 40, 4 * 214748365u, 2, 1, 1, 10, 10},
        {"blanks left out", "S", "@a\nGC \n+\n5+\n", 30, 21474836u + 214748365u, 2, 2, 0, 10, 20},
        {"empty read", "", "@a\n\n+\n\n", 0, 0, 0, 0, 0, 0, 0},
        {"one base", "", "@a\nT\n+\n?\n", 30, 2147484, 1, 0, 0, 30, 30},
        {"FASTA", "", ">a\nACGTN acg\ntnU-\n", 0, 0, 8, 4, 2, 0, 0},
        {"empty FASTA record", "", ">a\n", 0, 0, 0, 0, 0, 0, 0},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        unsigned k;
        for (k = 0; k < 12; ++k) {
            biost_reader_desc desc = desc_of(cases[i].text, strlen(cases[i].text));
            collected c;
            desc.text = options_of(cases[i].options);
            desc.stats = 1;
            desc.test.general = k / 3 % 2 == 1;
            desc.test.cpu_hidden = k / 6 == 1 ? UINT32_MAX : 0;
            test_note("%s: %s", cases[i].what, collect_names[k % 3]);
            collect(&c, &desc, (collect_style)(k % 3));
            CHECK(c.result == BIOST_END && c.records == 1);
            CHECK_EQ_U64(c.stats.qual_sum, cases[i].qual_sum);
            CHECK_EQ_U64(c.stats.error_sum, cases[i].error_sum);
            CHECK_EQ_U64(c.stats.acgt_count, cases[i].acgt);
            CHECK_EQ_U64(c.stats.gc_count, cases[i].gc);
            CHECK_EQ_U64(c.stats.n_count, cases[i].n);
            CHECK_EQ_U64(c.stats.qual_min, cases[i].qual_min);
            CHECK_EQ_U64(c.stats.qual_max, cases[i].qual_max);
            collected_free(&c);
        }
    }
}

/* Every score, in every place of reads of every length up to 70: kernels have tails. */
TEST(reader_text, statistics_of_every_score_and_length) {
    unsigned hidden, bases;
    for (hidden = 0; hidden < 3; ++hidden) {
        for (bases = 1; bases <= 70; ++bases) {
            ref_bytes text = fastq_text(94, bases);
            biost_reader_desc desc = desc_of(text.data, text.count);
            biost_reader *reader;
            biost_record record;
            desc.stats = 1;
            desc.test.cpu_hidden = hidden == 0 ? 0 : hidden == 1 ? (uint32_t)BIOST_CPU_AVX2 : UINT32_MAX;
            test_note("%u bases", bases);
            reader = open_text(&desc);
            REQUIRE(reader != NULL);
            while (biost_reader_next(reader, &record) == BIOST_OK) {
                biost_stats expected;
                ref_stats((const uint8_t *)record.seq, (const uint8_t *)record.qual, record.seq_bases,
                          &expected);
                REQUIRE(record.stats != NULL);
                CHECK_EQ_U64(record.stats->qual_sum, expected.qual_sum);
                CHECK_EQ_U64(record.stats->error_sum, expected.error_sum);
                CHECK_EQ_U64(record.stats->acgt_count, bases);
                CHECK_EQ_U64(record.stats->gc_count, expected.gc_count);
                CHECK_EQ_U64(record.stats->n_count, 0);
                CHECK_EQ_U64(record.stats->qual_min, expected.qual_min);
                CHECK_EQ_U64(record.stats->qual_max, expected.qual_max);
            }
            CHECK(biost_reader_error(reader) == NULL);
            biost_reader_close(reader);
            free(text.data);
        }
    }
}

/* ---- bad records left out ---- */

/*
 * Line by line: 1-4 good (byte 0), 5-8 bad (9; 0x80 at line 6, byte 13), 9-12 good (20), 13 junk (29), 14-17
 * good (33), 18-21 bad (42; '+' line 20 at byte 47), 22-25 good (52).
 */
static const char skip_text[] =
    "@a\nA\n+\nI\n@b\nA\x80\n+\nII\n@c\nC\n+\nJ\nxyz\n@d\nG\n+\nK\n@e\nT\n+f\nL\n@g\nA\n+\nM\n";

typedef struct skip_log {
    unsigned lines, wrong;
    uint64_t quota;
} skip_log;

static void skip_line(biost_result level, const char *sentence, void *user_data) {
    static const char *const words[] = {"record 2 (line 6, byte 13 of the text)",
                                        "record 4 (line 13, byte 29 of the text)",
                                        "record 6 (line 20, byte 47 of the text)"};
    skip_log *log = (skip_log *)user_data;
    log->wrong += log->lines >= 3 || strstr(sentence, words[log->lines % 3]) == NULL ||
                  level != BIOST_ERR_TEXT;
    ++log->lines;
}

TEST(reader_text, skipping_counts_and_tells) {
    static const uint64_t ids[] = {0, 2, 4, 6}, lines[] = {1, 9, 14, 22}, offsets[] = {0, 20, 33, 52};
    static const uint64_t fault_lines[] = {6, 13, 20}, fault_offsets[] = {13, 29, 47};
    uint64_t quota;
    unsigned k;
    for (quota = 0; quota <= 4; ++quota) {
        for (k = 0; k < 6; ++k) {
            biost_reader_desc desc = desc_of(TEXT(skip_text));
            biost_reader *reader;
            biost_record record;
            biost_record_progress progress;
            biost_result result;
            skip_log log = {0, 0, 0};
            unsigned count = 0;
            desc.text.skip_bad = quota == 4 ? UINT64_MAX : quota;
            desc.log.line = skip_line;
            desc.log.user_data = &log;
            desc.test.general = k % 2 == 1;
            desc.test.page_bytes = k / 2 == 0 ? 0 : k / 2 == 1 ? 16 : 29;
            test_note("quota %u", (unsigned)quota);
            reader = open_text(&desc);
            REQUIRE(reader != NULL);
            while ((result = biost_reader_next(reader, &record)) == BIOST_OK && count < 4) {
                CHECK_EQ_U64(record.id, ids[count]);
                CHECK_EQ_U64(record.line, lines[count]);
                CHECK_EQ_U64(record.text_offset, offsets[count]);
                ++count;
            }
            CHECK_EQ_U64(count, quota < 3 ? quota + 1 : 4);
            biost_reader_progress(reader, &progress);
            CHECK_EQ_U64(progress.record_count, count);
            CHECK_EQ_U64(progress.skipped_count, quota < 3 ? quota : 3);
            CHECK_EQ_U64(biost_reader_warnings(reader), quota == 0 ? 0 : (unsigned)SKIPPED);
            CHECK_EQ_U64(log.lines, quota < 3 ? quota + 1 : 3); /* the error is told too */
            CHECK_EQ_U64(log.wrong, 0);
            if (quota < 3) {
                const biost_error *error = biost_reader_error(reader);
                CHECK(result == BIOST_ERR_TEXT);
                REQUIRE(error != NULL);
                CHECK_EQ_U64(error->record, 2 * quota + 1);
                CHECK_EQ_U64(error->line, fault_lines[quota]);
                CHECK_EQ_U64(error->text_offset, fault_offsets[quota]);
            } else {
                CHECK(result == BIOST_END && biost_reader_error(reader) == NULL);
            }
            biost_reader_close(reader);
        }
    }
}

/*
 * Four lines over the cap are no start: r1 has 12 bytes up to its last quality character (2 + 1 + 3 + 1 + 1 +
 * 1 + 3), with CRLF 15 (2 + 2 + 3 + 2 + 1 + 2 + 3).
 */
TEST(reader_text, a_start_lies_within_the_cap) {
    static const struct {
        const char *text;
        uint64_t most;
    } cases[] = {
        {"@r0\nA\x80\n+\nI\n@b\nACG\n+\nIII\n@c\nA\n+\nI\n", 12},
        {"@r0\nA\x80\n+\nI\n@b\r\nACG\r\n+\r\nIII\r\n@c\nA\n+\nI\n", 15},
        {"@r0\nA\x80\n+\nI\n@c\nA\n+\nI\n@b\nACG\n+\nIII", 12},
    };
    unsigned i, k;
    for (i = 0; i < 3; ++i) {
        for (k = 0; k < 24; ++k) {
            biost_reader_desc desc = desc_of(cases[i].text, strlen(cases[i].text));
            collected c;
            desc.text.skip_bad = UINT64_MAX;
            desc.max_record_bytes = cases[i].most - k / 12;
            desc.test.general = k / 3 % 2 == 1;
            desc.test.page_bytes = k / 6 % 2 == 1 ? 16 : 0;
            test_note("text %u, cap %u, %s", i, (unsigned)desc.max_record_bytes, collect_names[k % 3]);
            collect(&c, &desc, (collect_style)(k % 3));
            if (i < 2 || k / 12 == 0) {
                CHECK(c.result == BIOST_END);
                CHECK_EQ_U64(c.records, k / 12 == 0 ? 2 : 1);
                CHECK_EQ_U64(c.progress.skipped_count, k / 12 == 0 ? 1 : 2); /* of 4 lines, and of 8 */
                CHECK_EQ_U64(c.progress.skipped_gaps, 1);
            } else { /* in its turn the last record is too long: nothing stands after it */
                CHECK(c.result == BIOST_END);
                CHECK_EQ_U64(c.records, 1);
                CHECK_EQ_U64(c.progress.skipped_count, 2);
            }
            collected_free(&c);
        }
    }
}

/* A page ends where a record was left out: its rows follow one another. */
TEST(reader_text, pages_end_at_skips) {
    biost_reader_desc desc = desc_of(TEXT(skip_text));
    biost_reader *reader;
    biost_record_page page;
    uint64_t next_id = 0;
    desc.text.skip_bad = UINT64_MAX;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        CHECK_EQ_U64(page.row_count, 1);
        CHECK_EQ_U64(page.id, next_id);
        next_id += 2;
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    CHECK_EQ_U64(next_id, 8);
    biost_reader_close(reader);
}

/* A long text of `count` records whose quality is too short, with a good one before and after. */
static ref_bytes bad_in_a_row(unsigned count) {
    static const char first[] = "@first\nA\n+\nI\n", bad[] = "@bad\nACGT\n+\nIII\n",
                      last[] = "@last\nC\n+\nJ\n";
    ref_bytes text = {NULL, 0, 0};
    collect_bytes(&text, first, sizeof first - 1);
    while (count-- > 0) {
        collect_bytes(&text, bad, sizeof bad - 1);
    }
    collect_bytes(&text, last, sizeof last - 1);
    return text;
}

/* Nothing tells bad records in a row apart: they count as what their lines make, four a record. */
TEST(reader_text, a_gap_counts_as_many_records_as_its_lines_make) {
    static const uint64_t quotas[] = {1, 8998, 8999, UINT64_MAX};
    ref_bytes text = bad_in_a_row(8999);
    unsigned k;
    for (k = 0; k < 16; ++k) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        uint64_t quota = quotas[k % 4];
        collected c;
        desc.text.skip_bad = quota;
        desc.test.general = k / 4 % 2 == 1;
        desc.test.page_bytes = k / 8 == 1 ? 100 : 0;
        test_note("quota %llu, run %u", (unsigned long long)quota, k);
        collect(&c, &desc, (collect_style)(k % 3));
        CHECK_EQ_U64(c.progress.skipped_count, quota < 8999 ? 0 : 8999);
        CHECK_EQ_U64(c.progress.skipped_lines, quota < 8999 ? 0 : 4 * 8999);
        CHECK_EQ_U64(c.progress.skipped_gaps, quota < 8999 ? 0 : 1);
        CHECK_EQ_U64(c.warnings, quota < 8999 ? 0 : (unsigned)SKIPPED);
        CHECK_EQ_U64(c.records, quota < 8999 ? 1 : 2);
        if (quota < 8999) { /* the first of them is what is told */
            CHECK(c.result == BIOST_ERR_TEXT && c.error.fault == BIOST_FAULT_LENGTH);
            CHECK_EQ_U64(c.error.record, 1);
            CHECK_EQ_U64(c.error.line, 9); /* a quality may have several lines */
        } else {
            CHECK(c.result == BIOST_END);
        }
        collected_free(&c);
    }
    free(text.data);
}

/* What a gap of each kind counts as: lines, from the first one left out to the last, by four, rounded up. */
TEST(reader_text, what_a_gap_counts_as) {
    static const struct {
        const char *text;
        uint64_t count, lines, gaps;
    } gaps[] = {
        {"@a\nA\n+\nI\n@b\nA\x80\n+\nII\n@b\nA\x80\n+\nII\n@c\nA\x80\n+\nII\n@d\nA\n+\nI\n", 3, 12, 3},
        {"@a\nA\n+\nI\nx\n@d\nA\n+\nI\n", 1, 1, 1},
        {"@a\nA\n+\nI\n1\n2\n3\n4\n@d\nA\n+\nI\n", 1, 4, 1},
        {"@a\nA\n+\nI\n1\n2\n3\n4\n5\n@d\nA\n+\nI\n", 2, 5, 1},
        {"@a\nA\n+\nI\n1\n\n\n\n\n@d\nA\n+\nI\n", 2, 5, 1},
        {"@a\nA\n+\nI\n@b\nAC\nGT\n+\nII\nI\n@d\nA\n+\nI\n", 2, 6, 1},
        {"@a\nA\n+\nI\n1\n2\n3\n4", 1, 4, 1},
        {"@a\nA\n+\nI\n1\n2\n3\n4\n5", 2, 5, 1},
        {">a\nA\n>b\nA\nC\nG\n;\nA\nA\nA\nA\n>c\nC\n", 1, 9, 1},
        {">a\nA\n>b\nA\n;\n>c\n;\n>d\n", 2, 5, 2},
        {">a\nA\n>b\0\nA\nC\n>d\n", 1, 3, 1},
    };
    unsigned i, k;
    for (i = 0; i < sizeof gaps / sizeof gaps[0]; ++i) {
        for (k = 0; k < 24; ++k) {
            size_t bytes = i == 10 ? 16 : strlen(gaps[i].text);
            biost_reader_desc desc = desc_of(gaps[i].text, bytes);
            int is_enough = k % 2 == 0;
            collected c;
            desc.text.skip_bad = gaps[i].count - (is_enough ? 0 : 1);
            desc.test.general = k / 2 % 2 == 1;
            desc.test.page_bytes = k / 4 % 2 == 1 ? 16 : 0;
            test_note("row %u, run %u", i, k);
            collect(&c, &desc, (collect_style)(k / 8));
            CHECK((c.result == BIOST_END) == is_enough);
            if (is_enough) {
                CHECK_EQ_U64(c.progress.skipped_count, gaps[i].count);
                CHECK_EQ_U64(c.progress.skipped_lines, gaps[i].lines);
                CHECK_EQ_U64(c.progress.skipped_gaps, gaps[i].gaps);
            }
            collected_free(&c);
        }
    }
}

/* The log says of a gap what it counts as; of what is one record nothing more than what is wrong. */
static void gap_line(biost_result level, const char *sentence, void *user_data) {
    (void)level;
    snprintf((char *)user_data, 256, "%s", sentence);
}

TEST(reader_text, the_log_says_what_a_gap_counts_as) {
    char said[256] = "";
    ref_bytes text = bad_in_a_row(5);
    biost_reader_desc desc = desc_of(text.data, text.count);
    collected c;
    desc.text.skip_bad = 5;
    desc.log.line = gap_line;
    desc.log.user_data = said;
    collect(&c, &desc, (collect_style)0);
    CHECK(c.result == BIOST_END);
    CHECK_STR(said,
              "memory: record 2 (line 9, byte 29 of the text): quality has 3 characters, sequence has 4; "
              "20 lines are left out here, counted as 5 records");
    collected_free(&c);
    free(text.data);
}

/* Faults of the source are no record's: they stay, whatever may be left out. */
TEST(reader_text, faults_of_the_source_are_not_skipped) {
    static const uint8_t cut[] = {0x1F, 0x8B, 8, 0,    0,    0,   0,   0,    0,  0xFF,
                                  1,    9,    0, 0xF6, 0xFF, '@', 'a', '\n', 'A'};
    int k;
    for (k = 0; k < 3; ++k) {
        biost_reader_desc desc = desc_of(cut, sizeof cut);
        collected c;
        desc.text.skip_bad = UINT64_MAX;
        collect(&c, &desc, (collect_style)k);
        CHECK(c.result == BIOST_ERR_GZIP && c.error.fault == BIOST_FAULT_TRUNCATED);
        CHECK_EQ_U64(c.progress.skipped_count, 0);
        collected_free(&c);
    }
}

/*
 * A wrong checksum says from which record on nothing is vouched for: the first that has bytes of its member.
 * Records of 9 bytes; the first member has `cut` bytes, the second the rest.
 */
TEST(reader_text, wrong_checksum_names_the_records) {
    static const struct {
        size_t cut;
        int bad; /* member, from 0 */
        uint64_t records;
        const char *words;
    } cases[] = {
        {27, 1, 6, "records from 4 on are unverified"}, {30, 1, 6, "records from 4 on are unverified"},
        {26, 1, 6, "records from 3 on are unverified"}, {19, 1, 6, "records from 3 on are unverified"},
        {27, 0, 3, "records from 1 on are unverified"}, {9, 1, 6, "records from 2 on are unverified"},
    };
    static const char text[] =
        "@a\nA\n+\nI\n@b\nA\n+\nI\n@c\nA\n+\nI\n@d\nA\n+\nI\n@e\nA\n+\nI\n@f\nA\n+\nI\n";
    static maker made;
    unsigned i, k;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        size_t crc;
        maker_begin(&made);
        maker_pack(&made, NULL, text, cases[i].cut, -1);
        crc = made.file.count - 8;
        maker_pack(&made, NULL, text + cases[i].cut, sizeof text - 1 - cases[i].cut, -1);
        crc = cases[i].bad == 0 ? crc : made.file.count - 8;
        made.file.data[crc] ^= 1;
        for (k = 0; k < 12; ++k) {
            biost_reader_desc desc = desc_of(made.file.data, made.file.count);
            collected c;
            desc.test.general = k / 3 % 2 == 1;
            desc.test.page_bytes = k / 6 == 1 ? 16 : 0;
            test_note("case %u, %s", i, collect_names[k % 3]);
            collect(&c, &desc, (collect_style)(k % 3));
            CHECK(c.result == BIOST_ERR_GZIP && c.error.fault == BIOST_FAULT_BAD_CRC);
            CHECK_EQ_U64(c.records, cases[i].records);
            if (!CHECK(strstr(c.error.text, cases[i].words) != NULL)) {
                printf("    %s\n", c.error.text);
            }
            collected_free(&c);
        }
    }
    maker_free(&made);
}

/* The same for a record that is under way where the member ends, the first of it: 27 bytes, then "@d" and its bases. */
TEST(reader_text, wrong_checksum_names_the_record_under_way) {
    static const char text[] = "@a\nA\n+\nI\n@b\nA\n+\nI\n@c\nA\n+\nI\n@d\nA\n";
    static maker made;
    unsigned k;
    maker_begin(&made);
    maker_pack(&made, NULL, text, 27, -1);
    maker_pack(&made, NULL, text + 27, sizeof text - 1 - 27, -1);
    made.file.data[made.file.count - 8] ^= 1;
    for (k = 0; k < 3; ++k) {
        biost_reader_desc desc = desc_of(made.file.data, made.file.count);
        collected c;
        test_note("%s", collect_names[k]);
        collect(&c, &desc, (collect_style)k);
        CHECK(c.result == BIOST_ERR_GZIP && c.error.fault == BIOST_FAULT_BAD_CRC);
        CHECK_EQ_U64(c.records, 3);
        if (!CHECK(strstr(c.error.text, "(in record 4, line 15; records from 4 on are unverified)") !=
                   NULL)) {
            printf("    %s\n", c.error.text);
        }
        collected_free(&c);
    }
    maker_free(&made);
}

/* ---- caps ---- */

/* FASTQ and titles are bounded in every way of reading, sequences of FASTA by next alone. */
TEST(reader_text, cap_of_each_call) {
    static const struct {
        const char *text;
        uint64_t line, text_offset; /* of RECORD_TOO_LONG under a cap of 11, by next */
        int of_all;                 /* and by next_run and next_page                 */
    } cases[] = {
        {"@a\nACGT\n+\nIIII\n", 4, 11, 1},           {"@title is long\nA\n+\nI\n", 1, 11, 1},
        {">title is long\nA\n", 1, 11, 1},           {">a\nACGTACGTACGT\n>b\nA\n", 2, 11, 0},
        {">a\nACGT\nACGT\nACGT\n>b\nA\n", 3, 11, 0}, {">z\nAC\n>a\nACGT\nACGTACGT\n", 5, 17, 0},
    };
    size_t i;
    unsigned k;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (k = 0; k < 12; ++k) {
            biost_reader_desc desc = desc_of(cases[i].text, strlen(cases[i].text));
            collected c;
            desc.max_record_bytes = 11;
            desc.test.general = k / 3 % 2 == 1;
            desc.test.page_bytes = k / 6 == 1 ? 16 : 0;
            test_note("case %u: %s", (unsigned)i, collect_names[k % 3]);
            collect(&c, &desc, (collect_style)(k % 3));
            if (cases[i].of_all || k % 3 == COLLECT_NEXT) {
                CHECK(c.result == BIOST_ERR_TOO_LONG && c.error.fault == BIOST_FAULT_RECORD_TOO_LONG);
                CHECK_EQ_U64(c.error.line, cases[i].line);
                CHECK_EQ_U64(c.error.text_offset, cases[i].text_offset);
                CHECK(strstr(c.error.text, "max_record_bytes, 11 bytes") != NULL);
            } else {
                CHECK(c.result == BIOST_END);
                CHECK_EQ_U64(c.records, 2);
            }
            collected_free(&c);
        }
    }
}

/* ---- what is known at open ---- */

TEST(reader_text, format_is_known_from_open_on) {
    static const struct {
        const char *options, *text;
        biost_format format;
    } cases[] = {
        {"", "@a\nA\n+\nI\n", BIOST_FORMAT_FASTQ},
        {"", ">a\nA\n", BIOST_FORMAT_FASTA},
        {"", "", BIOST_FORMAT_EMPTY},
        {"", " \n\n\t", BIOST_FORMAT_EMPTY},
        {"", "\n\n \r\n>a", BIOST_FORMAT_FASTA},
        {"", "\xEF\xBB\xBF\n@", BIOST_FORMAT_FASTQ},
        {"", "junk\n>a\n", BIOST_FORMAT_EMPTY},
        {"", " >a\n", BIOST_FORMAT_EMPTY},
        {"P", "\n>a\nA\n", BIOST_FORMAT_EMPTY},
        {"C", "#x\n;y\n@a\nA\n+\nI\n", BIOST_FORMAT_FASTQ},
        {"", "#x\n@a\nA\n+\nI\n", BIOST_FORMAT_EMPTY},
        {"", "\xFF\xFE@\0", BIOST_FORMAT_EMPTY},
        {"", "@a\r\r\n", BIOST_FORMAT_FASTQ}, /* a record is there, though a bad one */
        {"P", "> \nA\n", BIOST_FORMAT_FASTA},
    };
    size_t i;
    unsigned k;
    for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (k = 0; k < 6; ++k) {
            biost_reader_desc desc = desc_of(cases[i].text, strlen(cases[i].text));
            biost_reader *reader;
            biost_record record;
            biost_result result;
            desc.text = options_of(cases[i].options);
            desc.test.page_bytes = k % 2 == 1 ? 16 : 0;
            desc.test.general = k / 2 == 1;
            desc.test.chunk_bytes = k / 2 == 2 ? 1 : 0;
            test_note("case %u", (unsigned)i);
            reader = open_text(&desc);
            REQUIRE(reader != NULL);
            CHECK(biost_reader_format(reader) == cases[i].format);
            CHECK(biost_reader_error(reader) == NULL); /* a fault is left for the first next */
            do {
                result = biost_reader_next(reader, &record);
                CHECK(biost_reader_format(reader) == cases[i].format);
            } while (result == BIOST_OK);
            biost_reader_close(reader);
        }
    }
}

/* Blank lines and comments that fill many pages before the first record. */
TEST(reader_text, format_is_known_after_much_that_is_blank) {
    ref_bytes text;
    unsigned i, k;
    memset(&text, 0, sizeof text);
    for (i = 0; i < 40000; ++i) {
        collect_bytes(&text,
                      i % 3 == 0   ? "# comment\n"
                      : i % 3 == 1 ? "\r\n"
                                   : "  \t \n",
                      i % 3 == 0   ? 10
                      : i % 3 == 1 ? 2
                                   : 5);
    }
    collect_bytes(&text, ">a\nACGT\n", 8);
    for (k = 0; k < 6; ++k) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_reader *reader;
        collected c;
        desc.text.skip_comments = 1;
        desc.test.page_bytes = k / 3 == 1 ? 100 : 0;
        test_note("%s", collect_names[k % 3]);
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        CHECK(biost_reader_format(reader) == BIOST_FORMAT_FASTA);
        memset(&c, 0, sizeof c);
        collect_reader(reader, (collect_style)(k % 3), &c);
        CHECK(c.result == BIOST_END && c.records == 1 && c.bases == 4);
        CHECK_EQ_U64(c.warnings, COMMENTS | BLANK);
        CHECK_EQ_U64(c.progress.text_bytes, text.count);
        biost_reader_close(reader);
        collected_free(&c);
    }
    free(text.data);
}

/* ---- calls that take turns ---- */

/* next leaves out what next_run has not given of a record, and gives the one after it. */
TEST(reader_text, next_after_a_run) {
    ref_bytes text = fasta_text(6, 1000, 10);
    unsigned general;
    for (general = 0; general < 2; ++general) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_reader *reader;
        biost_record record;
        biost_record_progress progress;
        biost_run run;
        desc.test.page_bytes = 64;
        desc.test.general = (int)general;
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        CHECK(biost_reader_next_run(reader, &run) == BIOST_OK);
        CHECK(run.record.id == 0 && run.is_first && !run.is_last && run.start_base == 0 &&
              run.record.seq_bases < 1000);
        CHECK(is_words("r0 c", run.record.title, run.record.title_bytes));
        CHECK(biost_reader_next(reader, &record) == BIOST_OK);
        CHECK(record.id == 1 && record.seq_bases == 1000 && is_words("r1", record.name, record.name_bytes));
        CHECK_EQ_U64(record.line, 102);
        CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 2);
        CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 3 && !run.is_last);
        CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 3 && !run.is_last);
        CHECK(!run.is_first && run.start_base > 0 && run.record.title_bytes == 0 &&
              run.record.name_bytes == 0);
        CHECK_EQ_U64(run.record.line, 304); /* of its title */
        CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 4 && record.seq_bases == 1000);
        CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 5);
        CHECK(biost_reader_next(reader, &record) == BIOST_END);
        biost_reader_progress(reader, &progress);
        CHECK_EQ_U64(progress.record_count, 6);
        CHECK_EQ_U64(progress.text_bytes, text.count);
        biost_reader_close(reader);
    }
    free(text.data);
}

/* What is wrong with the rest of a record that next leaves out is an error all the same. */
TEST(reader_text, next_after_a_run_of_a_bad_record) {
    ref_bytes text = fasta_text(3, 1000, 10);
    biost_reader_desc desc;
    biost_reader *reader;
    biost_record record;
    biost_run run;
    text.data[600] = 0x80;
    desc = desc_of(text.data, text.count);
    desc.test.page_bytes = 64;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 0);
    CHECK(biost_reader_next(reader, &record) == BIOST_ERR_TEXT);
    REQUIRE(biost_reader_error(reader) != NULL);
    CHECK_EQ_U64(biost_reader_error(reader)->text_offset, 600);
    CHECK_EQ_U64(biost_reader_error(reader)->record, 0);
    biost_reader_close(reader);
    desc.text.skip_bad = 1;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 0);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 1);
    biost_reader_close(reader);
    free(text.data);
}

/* next_page gives what next and next_run left; next goes on after the page. */
TEST(reader_text, pages_after_other_calls) {
    ref_bytes text = fastq_text(100, 20);
    biost_reader_desc desc = desc_of(text.data, text.count);
    biost_reader *reader;
    biost_record record;
    biost_record_page page;
    biost_run run;
    uint64_t id = 3;
    unsigned pages = 0;
    desc.test.page_bytes = 1000;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 0);
    CHECK(biost_reader_next(reader, &record) == BIOST_OK && record.id == 1);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && run.record.id == 2 && run.is_last);
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        CHECK_EQ_U64(page.id, id);
        CHECK(page.row_count > 0 && page.row_count < 40);
        id += page.row_count;
        ++pages;
        if (biost_reader_next(reader, &record) == BIOST_OK) { /* the page stays */
            CHECK_EQ_U64(record.id, id);
            ++id;
        }
        biost_record_page_get(&page, 0, &run);
        CHECK_EQ_U64(run.record.id, page.id);
        CHECK(run.record.seq[0] == "ACGT"[page.id % 4] && run.record.seq_bases == 20);
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    CHECK_EQ_U64(id, 100);
    CHECK(pages > 3);
    biost_reader_close(reader);
    free(text.data);
}

/* A FASTA record begun by next_run goes on in the first row of the next page. */
TEST(reader_text, a_page_goes_on_with_a_run) {
    ref_bytes text = fasta_text(3, 400, 10);
    biost_reader_desc desc = desc_of(text.data, text.count);
    biost_reader *reader;
    biost_record_page page;
    biost_run run;
    uint64_t bases;
    unsigned records = 0;
    desc.test.page_bytes = 100;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    CHECK(biost_reader_next_run(reader, &run) == BIOST_OK && !run.is_last);
    bases = run.record.seq_bases;
    CHECK(bases > 0 && bases < 400);
    while (biost_reader_next_page(reader, &page) == BIOST_OK) {
        uint32_t i;
        CHECK_EQ_U64(page.start_base, bases);
        CHECK_EQ_U64((page.rows[0].flags & (uint32_t)BIOST_RUN_STARTED) != 0, bases > 0);
        for (i = 0; i < page.row_count; ++i) {
            biost_record_page_get(&page, i, &run);
            CHECK_EQ_U64(run.start_base, bases);
            bases = run.is_last ? 0 : bases + run.record.seq_bases;
            records += run.is_last ? 1 : 0;
        }
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    CHECK_EQ_U64(records, 3);
    biost_reader_close(reader);
    free(text.data);
}

/* However much that is no base stands after a title: one run is the first, one the last. */
TEST(reader_text, runs_of_blank_lines) {
    ref_bytes text;
    unsigned i, k, firsts = 0, lasts = 0;
    memset(&text, 0, sizeof text);
    collect_bytes(&text, ">a x\n", 5);
    for (i = 0; i < 100000; ++i) {
        collect_bytes(&text, "  \n", 3);
    }
    collect_bytes(&text, "ACGT\n", 5);
    for (i = 0; i < 100000; ++i) {
        collect_bytes(&text, "  \n", 3);
    }
    collect_bytes(&text, "AC\n>b\n", 6);
    for (k = 0; k < 2; ++k) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_reader *reader;
        biost_run run;
        uint64_t bases = 0, titles = 0;
        desc.test.page_bytes = k == 1 ? 4096 : 0;
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        while (biost_reader_next_run(reader, &run) == BIOST_OK) {
            CHECK_EQ_U64(run.start_base, run.record.id == 0 ? bases : 0);
            firsts += run.is_first ? 1 : 0;
            lasts += run.is_last ? 1 : 0;
            titles += run.record.title_bytes > 0;
            bases += run.record.seq_bases;
        }
        CHECK(biost_reader_error(reader) == NULL);
        CHECK_EQ_U64(titles, 2);
        CHECK_EQ_U64(bases, 6);
        biost_reader_close(reader);
    }
    CHECK_EQ_U64(firsts, 4);
    CHECK_EQ_U64(lasts, 4);
    free(text.data);
}

/* ---- pages held and given back ---- */

TEST(reader_text, pages_held_to_the_last) {
    ref_bytes text = fastq_text(400, 30);
    uint32_t allowed;
    for (allowed = 0; allowed <= 5; ++allowed) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_reader *reader;
        biost_record_page pages[8], one;
        uint32_t most = allowed == 0 ? 2 : allowed, i;
        desc.page_count = allowed;
        desc.test.page_bytes = 1000;
        test_note("%u pages", (unsigned)allowed);
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        for (i = 0; i < most; ++i) {
            CHECK(biost_reader_next_page(reader, &pages[i]) == BIOST_OK);
        }
        for (i = 0; i < 3; ++i) { /* refused, and nothing is lost or kept */
            CHECK(biost_reader_next_page(reader, &one) == BIOST_ERR_SLOTS);
            CHECK(biost_reader_error(reader) != NULL);
        }
        for (i = 0; i < most; ++i) { /* all still as they were */
            biost_run run;
            uint64_t id = i == 0 ? 0 : pages[i - 1].id + pages[i - 1].row_count;
            CHECK_EQ_U64(pages[i].id, id);
            biost_record_page_get(&pages[i], pages[i].row_count - 1, &run);
            CHECK(run.record.seq[0] == "ACGT"[run.record.id % 4] &&
                  run.record.qual[1] == (char)(33 + (run.record.id + 1) % 94));
        }
        CHECK(biost_reader_release_page(reader, &pages[most - 1]) == BIOST_OK);
        CHECK(biost_reader_next_page(reader, &one) == BIOST_OK);
        CHECK_EQ_U64(one.id, pages[most - 1].id + pages[most - 1].row_count);
        CHECK(biost_reader_release_page(reader, &pages[most - 1]) ==
              BIOST_ERR_ARG); /* an old loan of that slot */
        CHECK(biost_reader_release_page(reader, &one) == BIOST_OK);
        CHECK(biost_reader_release_page(reader, &one) == BIOST_ERR_ARG);
        CHECK(biost_reader_error(reader) == NULL);
        biost_reader_close(reader); /* the others go with it */
    }
    free(text.data);
}

/* All pages are with the caller: next and next_run go on, whatever stands in them. */
TEST(reader_text, next_goes_on_with_all_pages_held) {
    unsigned k;
    for (k = 0; k < 72; ++k) {
        static const uint32_t pages[] = {16, 64, 1000};
        ref_bytes text = k % 2 == 0 ? fastq_text(60, 30) : fasta_text(20, 90, 20);
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_reader *reader;
        biost_record_page held[3];
        collected c;
        uint64_t taken = 0;
        uint32_t most = 1 + k / 2 % 3, i;
        desc.page_count = most;
        desc.test.page_bytes = pages[k / 6 % 3];
        desc.test.row_count = k / 18 % 2 == 1 ? 1 : 0;
        desc.workers = k >= 54 ? 2 : 0;
        test_note("run %u", k);
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        for (i = 0; i < most; ++i) {
            REQUIRE(biost_reader_next_page(reader, &held[i]) == BIOST_OK);
            taken = held[i].id + held[i].row_count;
        }
        memset(&c, 0, sizeof c);
        if ((held[most - 1].rows[held[most - 1].row_count - 1].flags & (uint32_t)BIOST_RUN_GOES_ON) != 0) {
            biost_record record; /* its rest is left out */
            CHECK(biost_reader_next(reader, &record) == BIOST_OK);
            CHECK_EQ_U64(record.id, taken++);
        }
        collect_reader(reader, k % 4 < 2 ? COLLECT_NEXT : COLLECT_RUNS, &c);
        CHECK(c.result == BIOST_END);
        CHECK_EQ_U64(c.records + taken, k % 2 == 0 ? 60 : 20);
        for (i = 0; i < most; ++i) {
            CHECK(biost_reader_release_page(reader, &held[i]) == BIOST_OK);
        }
        biost_reader_close(reader);
        collected_free(&c);
        free(text.data);
    }
}

TEST(reader_text, releases_that_are_wrong) {
    ref_bytes text = fastq_text(100, 30);
    biost_reader_desc desc = desc_of(text.data, text.count);
    biost_reader *reader;
    biost_record_page page, other;
    desc.test.page_bytes = 500;
    reader = open_text(&desc);
    REQUIRE(reader != NULL);
    memset(&other, 0, sizeof other);
    CHECK(biost_reader_release_page(reader, &other) == BIOST_ERR_ARG); /* nothing was lent */
    REQUIRE(biost_reader_next_page(reader, &page) == BIOST_OK);
    other = page;
    other.slot = 12345678;
    CHECK(biost_reader_release_page(reader, &other) == BIOST_ERR_ARG);
    other = page;
    ++other.generation;
    CHECK(biost_reader_release_page(reader, &other) == BIOST_ERR_ARG);
    CHECK(biost_reader_release_page(reader, NULL) == BIOST_ERR_ARG);
    CHECK(biost_reader_release_page(NULL, &page) == BIOST_ERR_ARG);
    CHECK(biost_reader_next_page(reader, NULL) == BIOST_ERR_ARG);
    CHECK(biost_reader_next_page(NULL, &other) == BIOST_ERR_ARG);
    CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    CHECK(biost_reader_next_page(reader, &page) == BIOST_OK);
    CHECK(biost_reader_error(reader) == NULL);
    biost_reader_close(reader);
    free(text.data);
}

/* Pages go to other threads, which look at them and give them back, while this one takes more. */
typedef struct page_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    biost_reader *reader;
    biost_record_page pages[4];
    unsigned count, wrong;
    int over;
    uint64_t records, bases;
} page_queue;

static void *page_worker(void *argument) {
    page_queue *q = (page_queue *)argument;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        biost_record_page page;
        uint64_t bases = 0;
        uint32_t i;
        unsigned bad = 0;
        while (q->count == 0 && !q->over) {
            pthread_cond_wait(&q->changed, &q->lock);
        }
        if (q->count == 0) {
            break;
        }
        page = q->pages[--q->count];
        pthread_mutex_unlock(&q->lock);
        for (i = 0; i < page.row_count; ++i) {
            biost_run run;
            biost_record_page_get(&page, i, &run);
            bad += run.record.id != page.id + i || run.record.seq[0] != "ACGT"[run.record.id % 4];
            bases += run.record.seq_bases;
        }
        pthread_mutex_lock(&q->lock);
        q->records += page.row_count;
        q->bases += bases;
        q->wrong += bad;
        pthread_mutex_unlock(&q->lock);
        bad = biost_reader_release_page(q->reader, &page) != BIOST_OK;
        pthread_mutex_lock(&q->lock);
        q->wrong += bad;
        pthread_cond_broadcast(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

TEST(reader_text, pages_released_by_other_threads) {
    ref_bytes text = fastq_text(3000, 40);
    uint32_t workers;
    for (workers = 1; workers <= 2; ++workers) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        pthread_t threads[3];
        page_queue q;
        biost_record_page page;
        biost_result result;
        unsigned i;
        desc.page_count = 4;
        desc.workers = workers;
        desc.test.page_bytes = 2000;
        memset(&q, 0, sizeof q);
        pthread_mutex_init(&q.lock, NULL);
        pthread_cond_init(&q.changed, NULL);
        q.reader = open_text(&desc);
        REQUIRE(q.reader != NULL);
        for (i = 0; i < 3; ++i) {
            REQUIRE(pthread_create(&threads[i], NULL, page_worker, &q) == 0);
        }
        do {
            result = biost_reader_next_page(q.reader, &page);
            pthread_mutex_lock(&q.lock);
            if (result == BIOST_OK) {
                q.pages[q.count++] = page;
                pthread_cond_broadcast(&q.changed);
            } else if (result == BIOST_ERR_SLOTS) { /* not before another was worked on */
                while (q.count == 4) {
                    pthread_cond_wait(&q.changed, &q.lock);
                }
            }
            pthread_mutex_unlock(&q.lock);
        } while (result == BIOST_OK || result == BIOST_ERR_SLOTS);
        CHECK(result == BIOST_END);
        pthread_mutex_lock(&q.lock);
        q.over = 1;
        pthread_cond_broadcast(&q.changed);
        pthread_mutex_unlock(&q.lock);
        for (i = 0; i < 3; ++i) {
            pthread_join(threads[i], NULL);
        }
        CHECK_EQ_U64(q.wrong, 0);
        CHECK_EQ_U64(q.records, 3000);
        CHECK_EQ_U64(q.bases, 3000 * 40);
        biost_reader_close(q.reader);
        pthread_cond_destroy(&q.changed);
        pthread_mutex_destroy(&q.lock);
    }
    free(text.data);
}

/* ---- a reader over an open stream ---- */

static biost_stream *open_stream(const void *text, size_t text_bytes, uint32_t page_bytes) {
    biost_stream_desc desc;
    biost_stream *stream = NULL;
    memset(&desc, 0, sizeof desc);
    desc.memory.data = text;
    desc.memory.bytes = text_bytes;
    desc.test.page_bytes = page_bytes;
    CHECK(biost_stream_open(&desc, &stream, NULL) == BIOST_OK);
    return stream;
}

/* What is left behind the bytes that were read is what the reader sees, wherever they end in a page. */
TEST(reader_text, over_a_stream_that_was_read) {
    ref_bytes text = fastq_text(50, 30);
    size_t record_bytes = 5 + 31 + 2 +
                          31; /* of r10 to r49: "@r10", bases, '+', quality; one less of r0 to r9 */
    unsigned k, taken;
    CHECK_EQ_U64(text.count, 10 * (record_bytes - 1) + 40 * record_bytes);
    for (taken = 0; taken <= 40; taken += 8) {
        for (k = 0; k < 9; ++k) {
            biost_stream *stream = open_stream(text.data, text.count,
                                               k / 3 == 0   ? 0
                                               : k / 3 == 1 ? 100
                                                            : 1000);
            size_t wanted = taken * record_bytes - (taken < 10 ? taken : 10), got = 0;
            uint8_t head[4096];
            biost_reader_desc desc;
            biost_reader *reader;
            collected c;
            test_note("%u records taken, %s", taken, collect_names[k % 3]);
            REQUIRE(stream != NULL && wanted <= sizeof head);
            if (wanted > 0) {
                CHECK(biost_stream_read(stream, head, wanted, &got) == BIOST_OK && got == wanted);
                CHECK_MEM(head, text.data, got);
            }
            memset(&desc, 0, sizeof desc);
            desc.stream = stream;
            reader = open_text(&desc);
            REQUIRE(reader != NULL);
            CHECK(biost_reader_format(reader) == BIOST_FORMAT_FASTQ);
            memset(&c, 0, sizeof c);
            collect_reader(reader, (collect_style)(k % 3), &c);
            CHECK(c.result == BIOST_END);
            CHECK_EQ_U64(c.records, 50 - taken);
            if (CHECK_EQ_U64(c.text.count, text.count - wanted)) {
                CHECK_MEM(c.text.data, text.data + wanted, c.text.count);
            }
            biost_reader_close(reader);
            biost_stream_close(stream);
            collected_free(&c);
        }
    }
    free(text.data);
}

/* A stream that has ended, failed or been cancelled says so through the reader. */
TEST(reader_text, over_a_stream_that_is_over) {
    static const uint8_t cut[] = {0x1F, 0x8B, 8, 0,    0,    0,   0,   0,    0,  0xFF,
                                  1,    9,    0, 0xF6, 0xFF, '@', 'a', '\n', 'A'};
    unsigned k;
    for (k = 0; k < 9; ++k) {
        biost_stream *stream = k / 3 == 1 ? open_stream(cut, sizeof cut, 0)
                                          : open_stream("@a\nA\n+\nI\n", 9, 0);
        biost_reader_desc desc;
        biost_reader *reader;
        biost_result expected = k / 3 == 0 ? BIOST_END : k / 3 == 1 ? BIOST_ERR_GZIP : BIOST_CANCELLED;
        uint8_t head[100];
        size_t got;
        collected c;
        test_note("case %u", k);
        REQUIRE(stream != NULL);
        if (k / 3 == 2) {
            biost_stream_cancel(stream);
        } else {
            while (biost_stream_read(stream, head, sizeof head, &got) == BIOST_OK) {
                /* to the end */
            }
        }
        memset(&desc, 0, sizeof desc);
        desc.stream = stream;
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        CHECK(biost_reader_format(reader) == BIOST_FORMAT_EMPTY);
        memset(&c, 0, sizeof c);
        collect_reader(reader, (collect_style)(k % 3), &c);
        CHECK(c.result == expected && c.records == 0);
        biost_reader_close(reader);
        biost_stream_close(stream);
        collected_free(&c);
    }
}

/* Cancel the stream under a reader: CANCELLED, which stays. */
TEST(reader_text, cancel_of_the_stream_below) {
    ref_bytes text = fastq_text(1000, 50);
    unsigned k;
    for (k = 0; k < 3; ++k) {
        biost_stream *stream = open_stream(text.data, text.count, 256);
        biost_reader_desc desc;
        biost_reader *reader;
        collected c;
        REQUIRE(stream != NULL);
        memset(&desc, 0, sizeof desc);
        desc.stream = stream;
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        memset(&c, 0, sizeof c);
        CHECK(collect_one(reader, (collect_style)k, &c) == BIOST_OK);
        biost_stream_cancel(stream);
        collect_reader(reader, (collect_style)k, &c);
        CHECK(c.result == BIOST_CANCELLED);
        CHECK(c.records >= 1 && c.records < 1000);
        biost_reader_close(reader);
        biost_stream_close(stream);
        collected_free(&c);
    }
    free(text.data);
}

/* ---- descs that are wrong ---- */

static int64_t no_read(void *to, size_t bytes, void *user_data) {
    (void)to;
    (void)bytes;
    (void)user_data;
    return 0;
}

static void no_submit(void (*run)(void *argument), void *argument, void *user_data) {
    (void)run;
    (void)argument;
    (void)user_data;
}

static void *no_alloc(size_t bytes, size_t align, void *user_data) {
    (void)bytes;
    (void)align;
    (void)user_data;
    return NULL;
}

static int64_t no_size(void *file, void *user_data) {
    (void)file;
    (void)user_data;
    return -1;
}

/* Set field number `k` to what is wrong; returns the words the sentence must have, NULL after the last. */
static const char *spoil(biost_reader_desc *desc, biost_stream *stream, unsigned k) {
    static const char
        *const words[] =
            {
                "path",    "memory",  "callback",    "stream",     "stream",  "stream", /* no input, or two */
                "gzip",    "workers", "jobs",        "files",      "stream",  "stream",
                "stream", /* those of a stream */
                "letters", "letters", "letters",     "page_count", "workers", "page_bytes",
                "alloc",   "files",   "desc.memory",
            };
    if (k >= 6 && k <= 12) {
        desc->stream = stream;
    } else {
        desc->memory.data = "@a\nA\n+\nI\n";
        desc->memory.bytes = 9;
    }
    switch (k) {
    case 0: memset(desc, 0, sizeof *desc); break;
    case 1: desc->path = "tests/white.h"; break;
    case 2: desc->callback.read = no_read; break;
    case 3: desc->stream = stream; break;
    case 4:
        memset(&desc->memory, 0, sizeof desc->memory);
        desc->path = "tests/white.h";
        desc->stream = stream;
        break;
    case 5:
        memset(&desc->memory, 0, sizeof desc->memory);
        desc->callback.read = no_read;
        desc->stream = stream;
        break;
    case 6: desc->gzip.no_crc = 1; break;
    case 7: desc->workers = 2; break;
    case 8: desc->jobs.submit = no_submit; break;
    case 9: desc->files.size = no_size; break;
    case 10: desc->test.page_bytes = 64; break;
    case 11: desc->test.chunk_bytes = 64; break;
    case 12: desc->test.order_seed = 1; break;
    case 13: desc->text.replace_letters = 1; break;
    case 14: desc->text.letters = (biost_letters_kind)5; break;
    case 15:
        desc->text.letters = (biost_letters_kind)7;
        desc->text.replace_letters = 1;
        break;
    case 16: desc->page_count = 1025; break;
    case 17: desc->workers = 257; break;
    case 18: desc->test.page_bytes = 15; break;
    case 19: desc->allocator.alloc = no_alloc; break;
    case 20: desc->files.size = no_size; break;
    case 21: desc->memory.data = NULL; break;
    default: return NULL;
    }
    return words[k];
}

TEST(reader_text, wrong_descs_are_refused) {
    unsigned k, count = 0;
    for (k = 0; k < 100; ++k) {
        biost_stream *stream = open_stream("@a\nA\n+\nI\n", 9, 0);
        biost_reader_desc desc;
        biost_reader *reader = (biost_reader *)stream; /* must become NULL */
        biost_error error;
        const char *words;
        REQUIRE(stream != NULL);
        memset(&desc, 0, sizeof desc);
        words = spoil(&desc, stream, k);
        if (words != NULL) {
            test_note("desc %u", k);
            CHECK(biost_reader_open(&desc, &reader, &error) == BIOST_ERR_ARG);
            CHECK(reader == NULL);
            CHECK(error.code == BIOST_ERR_ARG && error.fault == BIOST_FAULT_ARGUMENT);
            if (!CHECK(strstr(error.text, words) != NULL)) {
                printf("    %s\n", error.text);
            }
            ++count;
        }
        biost_stream_close(stream); /* is the caller's still */
    }
    CHECK_EQ_U64(count, 22);
}

/* Fields at their limits, and those a stream does not own. */
TEST(reader_text, right_descs_are_taken) {
    unsigned k;
    for (k = 0; k < 5; ++k) {
        biost_stream *stream = open_stream("@a\nA\n+\nI\n", 9, 0);
        biost_reader_desc desc;
        collected c;
        memset(&desc, 0, sizeof desc);
        REQUIRE(stream != NULL);
        desc.stream = stream;
        switch (k) {
        case 0: desc.page_count = 1024; break;
        case 1: desc.text = options_of("PFRSKI*pX"); break;
        case 2:
            desc.test.row_count = 1;
            desc.test.general = 1;
            desc.test.cpu_hidden = UINT32_MAX;
            break;
        case 3: desc.max_record_bytes = 8; break;
        default: desc.max_record_bytes = UINT64_MAX; break;
        }
        test_note("desc %u", k);
        collect(&c, &desc, (collect_style)(k % 3));
        CHECK(c.result == BIOST_END && c.records == 1);
        collected_free(&c);
        biost_stream_close(stream);
    }
}

/* ---- progress ---- */

TEST(reader_text, progress_goes_on) {
    ref_bytes text = fastq_text(500, 30);
    unsigned k;
    for (k = 0; k < 6; ++k) {
        biost_reader_desc desc = desc_of(text.data, text.count);
        biost_record_progress before, now;
        biost_reader *reader;
        biost_result result;
        collected c;
        desc.test.page_bytes = 1000;
        desc.test.chunk_bytes = 500;
        desc.test.general = k / 3 == 1;
        reader = open_text(&desc);
        REQUIRE(reader != NULL);
        memset(&c, 0, sizeof c);
        biost_reader_progress(reader, &before);
        CHECK_EQ_U64(before.source_total_bytes, text.count);
        CHECK(before.text_bytes < text.count / 2);
        CHECK(before.record_count < 250);
        do {
            result = collect_one(reader, (collect_style)(k % 3), &c);
            biost_reader_progress(reader, &now);
            CHECK(now.source_bytes >= before.source_bytes && now.text_bytes >= before.text_bytes);
            CHECK(now.record_count >= before.record_count && now.record_count >= c.records);
            CHECK(now.source_bytes <= text.count && now.text_bytes <= text.count);
            CHECK(now.source_bytes >= now.text_bytes && now.skipped_count == 0 && now.blank_count == 0);
            before = now;
        } while (result == BIOST_OK);
        CHECK(result == BIOST_END);
        CHECK_EQ_U64(now.source_bytes, text.count);
        CHECK_EQ_U64(now.text_bytes, text.count);
        CHECK_EQ_U64(now.record_count, 500);
        biost_reader_close(reader);
        collected_free(&c);
    }
    free(text.data);
}

/* Blanks left out are counted: 2 + 1 in FASTA, not those of a line of blanks; 3 in FASTQ. */
TEST(reader_text, blanks_are_counted) {
    int k;
    for (k = 0; k < 3; ++k) {
        biost_reader_desc desc = desc_of(TEXT(">a\nA C\tG\n \t \nT \n"));
        collected c;
        collect(&c, &desc, (collect_style)k);
        CHECK(c.result == BIOST_END);
        CHECK_EQ_U64(c.progress.blank_count, 3);
        CHECK_EQ_U64(c.warnings, BLANK | REMOVED);
        collected_free(&c);
        desc = desc_of(TEXT("@a\nAC \n+\nII\n@b\nG\t \r\n+\nJ\n@c\nT\n+\nK\n"));
        desc.text.strip_blanks = 1;
        collect(&c, &desc, (collect_style)k);
        CHECK(c.result == BIOST_END && c.records == 3);
        CHECK_EQ_U64(c.progress.blank_count, 3);
        CHECK_EQ_U64(c.warnings, REMOVED);
        collected_free(&c);
    }
}

/* What opens a line after blanks is named with them: the sentence tells what to mend. */
TEST(reader_text, blanks_before_what_opens_a_line) {
    static const struct {
        const char *text, *words;
        uint64_t line;
    } openings[] = {
        {" @a\nAC\n+\nII\n", "blanks before '@'", 1},
        {"@a\nAC\n+\nII\n\t@b\nAC\n+\nII\n", "blanks before '@'", 5},
        {"\n  >a\nAC\n", "blanks before '>'", 2},
        {"@a\nAC\n+\nII\n>b\nAC\n", "here is '>', as in FASTA", 5},
        {">a\nAC\n >b\nAC\n", "blanks before it", 3},
        {">a\nAC\n \n\t ;x\nAC\n", "blanks and ';'", 4},
        {">a\n ;x\nAC\n", "blanks and ';'", 2},
        {">a\nAC\n;x\nAC\n", "starts with ';'", 3},
        {">a\nAC\n \n;x\nAC\n", "starts with ';'", 4},
        {">a\nAC\n  @x\nAC\n", "after blanks, with '@'", 3},
        {">a\nAC\n\t+\nAC\n", "after blanks, with '+'", 3},
        {">a\nAC >\nAC\n", "'>' inside a sequence line", 2},
    };
    size_t i;
    for (i = 0; i < sizeof openings / sizeof openings[0]; ++i) {
        biost_reader_desc desc;
        biost_reader *reader = NULL;
        biost_record record;
        biost_result result;
        memset(&desc, 0, sizeof desc);
        desc.memory.data = openings[i].text;
        desc.memory.bytes = strlen(openings[i].text);
        test_note("%s", openings[i].words);
        REQUIRE(biost_reader_open(&desc, &reader, NULL) == BIOST_OK);
        while ((result = biost_reader_next(reader, &record)) == BIOST_OK) {
        }
        CHECK_EQ_I64(result, BIOST_ERR_TEXT);
        if (CHECK(biost_reader_error(reader) != NULL)) {
            CHECK_EQ_U64(biost_reader_error(reader)->line, openings[i].line);
            CHECK(strstr(biost_reader_error(reader)->text, openings[i].words) != NULL);
        }
        biost_reader_close(reader);
    }
}

/* ---- the line of '+' ---- */

enum { PLUS_RECORDS = 300 };

static char plus_texts[PLUS_RECORDS][64];

static void plus_put(ref_bytes *text, const char *words) {
    collect_bytes(text, words, strlen(words));
}

/* `bases` letters in lines of `width`. */
static void plus_lines(ref_bytes *text, const char *letters, size_t bases, size_t width, const char *end) {
    size_t i;
    for (i = 0; i < bases; ++i) {
        if (i > 0 && i % width == 0) {
            plus_put(text, end);
        }
        collect_bytes(text, &letters[i % 4], 1);
    }
    plus_put(text, end);
}

/* Records of one line and several, with LF and CRLF, without bases, with any text after '+'; the last, unless `ends`, ends after it. */
static void plus_make(ref_bytes *text, uint64_t *random, int ends) {
    unsigned i;
    for (i = 0; i < PLUS_RECORDS; ++i) {
        const char *end = test_random(random) % 3 == 0 ? "\r\n" : "\n";
        size_t bases = i + 1 == PLUS_RECORDS ? 0 : (size_t)(test_random(random) % 90), k;
        size_t width = test_random(random) % 2 == 0 ? 1000 : 1 + (size_t)(test_random(random) % 40);
        char *plus = plus_texts[i], title[32];
        snprintf(title, sizeof title, "read%u of many", i);
        snprintf(plus, sizeof plus_texts[i], "%s", test_random(random) % 3 == 0 ? title : "");
        for (k = 0; test_random(random) % 2 == 0 && k + 1 < sizeof plus_texts[i]; ++k) {
            plus[k] = "+@> \tx"[test_random(random) % 6];
            plus[k + 1] = '\0';
        }
        plus_put(text, "@");
        plus_put(text, title);
        plus_put(text, end);
        plus_lines(text, "ACGT", bases, width, end);
        plus_put(text, "+");
        plus_put(text, plus);
        if (ends || i + 1 < PLUS_RECORDS) {
            plus_put(text, end);
            plus_lines(text, "I+@J", bases, width, end);
        }
    }
}

/* By the rule beside biost_record. */
static void plus_check(const biost_record *record) {
    const char *end = record->qual, *at;
    const char *expected = plus_texts[record->id];
    end -= end[-1] == '\n';
    end -= end[-1] == '\r';
    for (at = end; at[-1] != '\n' && at[-1] != '\0'; --at) {
    }
    test_note("record %u", (unsigned)record->id);
    CHECK(*at == '+');
    CHECK_EQ_U64((uint64_t)(end - at), 1 + strlen(expected));
    CHECK_MEM(at + 1, expected, strlen(expected));
}

static uint32_t plus_read(biost_reader *reader, int way) {
    uint32_t count = 0;
    biost_record record;
    biost_run run;
    biost_record_page page;
    while (way == 0 && biost_reader_next(reader, &record) == BIOST_OK) {
        plus_check(&record);
        ++count;
    }
    while (way == 1 && biost_reader_next_run(reader, &run) == BIOST_OK) {
        plus_check(&run.record);
        ++count;
    }
    while (way == 2 && biost_reader_next_page(reader, &page) == BIOST_OK) {
        uint32_t i;
        for (i = 0; i < page.row_count; ++i) {
            biost_record_page_get(&page, i, &run);
            plus_check(&run.record);
            ++count;
        }
        CHECK(biost_reader_release_page(reader, &page) == BIOST_OK);
    }
    return count;
}

/* Where the text of a '+' line is: before qual, by whatever way the record came. */
TEST(reader_text, the_text_after_plus_is_before_qual) {
    static const uint32_t pages[] = {16, 100, 3000, 0};
    static const biost_text_rules as_kseq = BIOST_TEXT_AS_KSEQ;
    uint64_t random = test_seed();
    char path[] = "/tmp/biostream_plus_XXXXXX";
    int file = mkstemp(path);
    unsigned k;
    REQUIRE(file >= 0 && close(file) == 0);
    for (k = 0; k < 96; ++k) {
        ref_bytes text;
        biost_reader_desc desc;
        biost_reader *reader;
        memset(&text, 0, sizeof text);
        plus_make(&text, &random, k >= 48);
        desc = desc_of(text.data, text.count);
        desc.text = as_kseq;
        if (k < 48) {
            desc.text = options_of("I");
        }
        desc.test.page_bytes = pages[k % 4];
        desc.terminate = k / 4 % 3 == 1;
        desc.test.general = k / 12 % 2;
        desc.workers = k / 24 % 2 * 2;
        if (k / 4 % 3 == 2) {
            FILE *whole = fopen(path, "wb"); /* closed before it is read: Windows wants that */
            REQUIRE(whole != NULL);
            REQUIRE(fwrite(text.data, 1, text.count, whole) == text.count && fclose(whole) == 0);
            memset(&desc.memory, 0, sizeof desc.memory);
            desc.path = path;
            desc.map = 1;
        }
        reader = open_text(&desc);
        CHECK_EQ_U64(plus_read(reader, (int)(k % 3)), PLUS_RECORDS);
        if (!CHECK(biost_reader_error(reader) == NULL)) {
            printf("    %s\n", biost_reader_error(reader)->text);
        }
        biost_reader_close(reader);
        free(text.data);
    }
    unlink(path);
}
