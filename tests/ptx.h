/*
 * ptx.h - run a kernel of a PTX text on this machine, one thread after another, so that the text that is
 * shipped is tested without a GPU. It knows the instructions that compilers made of our kernels, on
 * integers, and says which one it does not know. Addresses are those of host memory, so sanitizers see
 * what a kernel reads and writes; and ptx_allow names all that it may touch, to the byte. Meanings are
 * those of NVIDIA's "PTX ISA" 8.0, chapter 9.
 *
 *     ptx_kernel *kernel = ptx_open(text, "name", &unknown);    NULL: unknown is a line of the text
 *     ptx_allow(kernel, codes, bytes, 0);                       reads, or with 1 writes, of an array; may be
 *                                                               left out, then any address is allowed
 *     if (!ptx_run(kernel, &argument, blocks, threads)) ...     0: no end, or a wrong access
 *     ptx_close(kernel);
 */
#ifndef PTX_H
#define PTX_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_MOST_INSTRUCTIONS = 4096, PTX_MOST_LABELS = 512, PTX_REGISTERS = 2048, PTX_MOST_STEPS = 1000000 };

typedef enum ptx_code {
    /* clang-format off */
    PTX_ADD, PTX_SUB, PTX_MUL, PTX_MUL_WIDE, PTX_DIV, PTX_REM, PTX_AND, PTX_OR, PTX_XOR, PTX_NOT, PTX_SHL,
    PTX_SHR, PTX_MIN, PTX_MAX, PTX_SELP, PTX_SETP, PTX_BFE, PTX_SHF, PTX_CVT, PTX_MOV, PTX_LD, PTX_ST,
    PTX_MAD, PTX_BRA, PTX_RET
    /* clang-format on */
} ptx_code;

/* clang-format off */
typedef enum ptx_place { PTX_NONE, PTX_PRED, PTX_R16, PTX_R32, PTX_R64, PTX_SPECIAL, PTX_NUMBER,
                         PTX_PARAM } ptx_place;
/* clang-format on */

typedef struct ptx_operand {
    ptx_place place;
    uint32_t number; /* of the register; PTX_SPECIAL: 0 tid.x, 1 ctaid.x, 2 nctaid.x */
    uint64_t value;  /* PTX_NUMBER; of addresses what is added */
} ptx_operand;

typedef struct ptx_instruction {
    ptx_code code;
    ptx_operand guard; /* PTX_NONE: always */
    int guard_not;
    int compare;              /* of setp: 'e' eq, 'n' ne, 'l' lt, 'L' le, 'g' gt, 'G' ge */
    uint32_t bits, from_bits; /* of the type; of cvt's source */
    int is_signed, from_signed;
    int is_param;   /* of ld: of the argument */
    uint32_t count; /* of operands */
    ptx_operand operands[6];
    char label[24]; /* of bra */
    uint32_t target;
} ptx_instruction;

/* Memory that a kernel may read, or write. */
typedef struct ptx_range {
    uintptr_t from, to;
    int is_written;
} ptx_range;

typedef struct ptx_kernel {
    ptx_instruction instructions[PTX_MOST_INSTRUCTIONS];
    char labels[PTX_MOST_LABELS][24];
    uint32_t label_at[PTX_MOST_LABELS], label_count, count;
    char name[64];
    ptx_range ranges[8];
    uint32_t range_count; /* 0: it may touch anything */
    uint64_t steps;       /* instructions done so far, of all threads */
} ptx_kernel;

/* ---- reading ---- */

static int ptx_parse_type(const char *name, uint32_t *out_bits, int *out_signed) {
    *out_signed = name[0] == 's';
    if (strcmp(name, "pred") == 0) {
        *out_bits = 1;
        return 1;
    }
    *out_bits = strchr("usb", name[0]) != NULL ? (uint32_t)atoi(name + 1) : 0;
    return *out_bits == 8 || *out_bits == 16 || *out_bits == 32 || *out_bits == 64;
}

/* One of %p1 %rs1 %r1 %rd1 %tid.x, a number, the parameter's name; in brackets with +number. */
static int ptx_parse_operand(const ptx_kernel *kernel, char *text, ptx_operand *out) {
    static const char *const specials[3] = {"%tid.x", "%ctaid.x", "%nctaid.x"};
    char *plus;
    memset(out, 0, sizeof *out);
    text += strspn(text, " [{");
    text[strcspn(text, "]} ")] = '\0';
    plus = strchr(text, '+');
    if (plus != NULL) {
        out->value = strtoull(plus + 1, NULL, 0);
        *plus = '\0';
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, specials[i]) == 0) {
            out->place = PTX_SPECIAL;
            out->number = i;
            return 1;
        }
    }
    if (text[0] == '%') {
        const char *digits = text + 1 + strcspn(text + 1, "0123456789");
        size_t letters = (size_t)(digits - text);
        out->place = letters == 2 && text[1] == 'p'                     ? PTX_PRED
                     : letters == 3 && text[1] == 'r' && text[2] == 's' ? PTX_R16
                     : letters == 3 && text[1] == 'r' && text[2] == 'd' ? PTX_R64
                     : letters == 2 && text[1] == 'r'                   ? PTX_R32
                                                                        : PTX_NONE;
        out->number = (uint32_t)atoi(digits);
        return out->place != PTX_NONE && *digits != '\0' && out->number < PTX_REGISTERS;
    }
    if (strncmp(text, kernel->name, strlen(kernel->name)) == 0 &&
        strcmp(text + strlen(kernel->name), "_param_0") == 0) {
        out->place = PTX_PARAM;
        return 1;
    }
    out->place = PTX_NUMBER;
    out->value = text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
    return (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
}

static int ptx_parse_code(char parts[8][16], uint32_t count, ptx_instruction *out) {
    static const struct {
        const char *name;
        ptx_code code;
    } names[] = {
        {"add", PTX_ADD}, {"sub", PTX_SUB}, {"div", PTX_DIV},   {"rem", PTX_REM},   {"and", PTX_AND},
        {"or", PTX_OR},   {"xor", PTX_XOR}, {"not", PTX_NOT},   {"shl", PTX_SHL},   {"shr", PTX_SHR},
        {"min", PTX_MIN}, {"max", PTX_MAX}, {"selp", PTX_SELP}, {"setp", PTX_SETP}, {"bfe", PTX_BFE},
        {"cvt", PTX_CVT}, {"mov", PTX_MOV}, {"cvta", PTX_MOV},  {"ld", PTX_LD},     {"st", PTX_ST},
        {"bra", PTX_BRA}, {"ret", PTX_RET}, {"mul", PTX_MUL},   {"mad", PTX_MAD},   {"shf", PTX_SHF}};
    static const struct {
        const char *name;
        int compare;
    } compares[] = {{"eq", 'e'}, {"ne", 'n'}, {"lt", 'l'}, {"le", 'L'}, {"gt", 'g'}, {"ge", 'G'}};
    uint32_t i = 0;
    while (i < sizeof names / sizeof names[0] && strcmp(names[i].name, parts[0]) != 0) {
        i++;
    }
    if (i == sizeof names / sizeof names[0]) {
        return 0;
    }
    out->code = names[i].code;
    if (out->code == PTX_BRA || out->code == PTX_RET) {
        return count == 1 || strcmp(parts[1], "uni") == 0;
    }
    if (!ptx_parse_type(parts[count - 1], &out->bits, &out->is_signed)) {
        return 0;
    }
    switch (out->code) {
    case PTX_MUL:
        out->code = strcmp(parts[1], "wide") == 0 ? PTX_MUL_WIDE : PTX_MUL;
        return count == 3 && (out->code == PTX_MUL_WIDE || strcmp(parts[1], "lo") == 0);
    case PTX_MAD: return count == 3 && strcmp(parts[1], "lo") == 0;
    case PTX_SHF:
        return count == 4 && strcmp(parts[1], "l") == 0 && strcmp(parts[2], "wrap") == 0 && out->bits == 32;
    case PTX_SETP:
        for (i = 0; i < sizeof compares / sizeof compares[0]; i++) {
            out->compare = strcmp(parts[1], compares[i].name) == 0 ? compares[i].compare : out->compare;
        }
        return count == 3 && out->compare != 0;
    case PTX_CVT:
        out->from_bits = out->bits;
        out->from_signed = out->is_signed;
        return count == 3 && ptx_parse_type(parts[1], &out->bits, &out->is_signed);
    case PTX_LD:
    case PTX_ST: /* of any of these the meaning is one, in memory that nobody else writes */
        for (i = 1; i + 1 < count; i++) {
            if (strstr(" param global nc v2 v4 ", parts[i]) == NULL) {
                return 0;
            }
            out->is_param |= strcmp(parts[i], "param") == 0;
        }
        return 1;
    case PTX_MOV: /* cvta.to.global, cvta.global: an address stays what it is */
        return count == 2 || strcmp(parts[0], "cvta") == 0;
    default: return count == 2;
    }
}

/* [@[!]%p1] code.part.part operand, operand; */
static int ptx_parse_instruction(const ptx_kernel *kernel, char *line, ptx_instruction *out) {
    char parts[8][16], *name, *operands, *operand, *rest;
    uint32_t count = 0;
    memset(out, 0, sizeof *out);
    line[strcspn(line, ";")] = '\0';
    if (line[0] == '@') {
        operands = strchr(line, ' ');
        out->guard_not = line[1] == '!';
        if (operands == NULL) {
            return 0;
        }
        *operands = '\0';
        if (!ptx_parse_operand(kernel, line + 1 + out->guard_not, &out->guard)) {
            return 0;
        }
        line = operands + 1;
    }
    operands = line + strcspn(line, " ");
    operands += *operands != '\0' ? (*operands = '\0', 1) : 0;
    for (name = strtok_r(line, ".", &rest); name != NULL; name = strtok_r(NULL, ".", &rest)) {
        if (count == 8 || strlen(name) > 15) {
            return 0;
        }
        strcpy(parts[count++], name);
    }
    if (count == 0 || !ptx_parse_code(parts, count, out)) {
        return 0;
    }
    if (out->code == PTX_BRA) {
        snprintf(out->label, sizeof out->label, "%s", operands);
        return 1;
    }
    for (operand = strtok_r(operands, ",", &rest); operand != NULL; operand = strtok_r(NULL, ",", &rest)) {
        if (out->count == 6 || !ptx_parse_operand(kernel, operand, &out->operands[out->count++])) {
            return 0;
        }
    }
    return 1;
}

static int ptx_find_targets(ptx_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->count; i++) {
        uint32_t at = 0;
        while (kernel->instructions[i].code == PTX_BRA && at < kernel->label_count &&
               strcmp(kernel->labels[at], kernel->instructions[i].label) != 0) {
            at++;
        }
        if (at < kernel->label_count) {
            kernel->instructions[i].target = kernel->label_at[at];
        } else if (kernel->instructions[i].code == PTX_BRA) {
            return 0;
        }
    }
    return 1;
}

/* One line of a kernel; 0: it is not known. */
static int ptx_parse_line(ptx_kernel *kernel, char *line) {
    size_t bytes = strlen(line);
    if (bytes == 0 || line[0] == '.' || line[0] == '{' || line[0] == ')') {
        return 1; /* declarations */
    }
    if (line[bytes - 1] == ':') {
        if (bytes > 23 || kernel->label_count == PTX_MOST_LABELS) {
            return 0;
        }
        line[bytes - 1] = '\0';
        strcpy(kernel->labels[kernel->label_count], line);
        kernel->label_at[kernel->label_count++] = kernel->count;
        return 1;
    }
    return kernel->count < PTX_MOST_INSTRUCTIONS &&
           ptx_parse_instruction(kernel, line, &kernel->instructions[kernel->count++]);
}

/* From now on this may be touched too, and else nothing but what was allowed before. */
static void ptx_allow(ptx_kernel *kernel, const void *memory, size_t bytes, int is_written) {
    ptx_range *range = &kernel->ranges[kernel->range_count];
    if (kernel->range_count < sizeof kernel->ranges / sizeof kernel->ranges[0]) {
        range->from = (uintptr_t)memory;
        range->to = (uintptr_t)memory + bytes;
        range->is_written = is_written;
        kernel->range_count++;
    }
}

static void ptx_close(ptx_kernel *kernel) {
    free(kernel);
}

/* The kernel of this name, or NULL and in `out_unknown` the line that is not understood. */
static ptx_kernel *ptx_open(const char *text, const char *name, char out_unknown[128]) {
    ptx_kernel *kernel = (ptx_kernel *)calloc(1, sizeof *kernel);
    char entry[96];
    int is_known = kernel != NULL;
    snprintf(entry, sizeof entry, ".visible .entry %s(\n", name);
    snprintf(out_unknown, 128, "%s", entry);
    text = strstr(text, entry);
    if (kernel != NULL) {
        snprintf(kernel->name, sizeof kernel->name, "%s", name);
    }
    is_known = is_known && text != NULL;
    while (is_known && text[0] != '}') {
        size_t bytes = strcspn(text, "\n");
        char line[128];
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        snprintf(out_unknown, 128, "%s", line);
        is_known = bytes < sizeof line && text[bytes] == '\n' && ptx_parse_line(kernel, line);
        text += is_known ? bytes + 1 : 0;
    }
    if (!is_known || !ptx_find_targets(kernel)) {
        ptx_close(kernel);
        return NULL;
    }
    return kernel;
}

/* ---- running ---- */

typedef struct ptx_thread {
    uint64_t registers[PTX_R64 + 1][PTX_REGISTERS]; /* by place */
    uint32_t specials[3];
    uint64_t param; /* address of the argument */
    int is_wrong;   /* an access whose address is no multiple of its bytes, where a GPU stops, or to
                          what is not allowed */
    const ptx_kernel *kernel;
} ptx_thread;

/* The lowest bits of a number, as 64 bits of its type. */
static uint64_t ptx_extend(uint64_t value, uint32_t bits, int is_signed) {
    uint64_t top = UINT64_C(1) << (bits - 1), low = bits == 64 ? value : value & ((top << 1) - 1);
    return is_signed && bits < 64 ? (low ^ top) - top : low;
}

static uint64_t ptx_get(const ptx_thread *thread, const ptx_operand *operand) {
    switch (operand->place) {
    case PTX_NUMBER: return operand->value;
    case PTX_PARAM: return thread->param + operand->value;
    case PTX_SPECIAL: return thread->specials[operand->number];
    default: return thread->registers[operand->place][operand->number] + operand->value;
    }
}

static void ptx_set(ptx_thread *thread, const ptx_operand *operand, uint64_t value) {
    static const uint32_t bits[PTX_R64 + 1] = {64, 1, 16, 32, 64};
    thread->registers[operand->place][operand->number] = ptx_extend(value, bits[operand->place], 0);
}

static int ptx_compare(int compare, uint64_t a, uint64_t b, int is_signed) {
    int is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (compare) {
    case 'e': return a == b;
    case 'n': return a != b;
    case 'l': return is_less;
    case 'L': return is_less || a == b;
    case 'g': return !is_less && a != b;
    default: return !is_less;
    }
}

static int ptx_is_allowed(const ptx_thread *thread, uintptr_t address, size_t bytes, int is_written) {
    const ptx_kernel *kernel = thread->kernel;
    uint32_t i = 0;
    while (i < kernel->range_count &&
           (kernel->ranges[i].is_written != is_written || address < kernel->ranges[i].from ||
            address + bytes > kernel->ranges[i].to)) {
        i++;
    }
    return kernel->range_count == 0 || i < kernel->range_count;
}

/* Loads and stores: the address is the operand after the loaded ones, or in front of the stored ones. */
static void ptx_move(ptx_thread *thread, const ptx_instruction *at) {
    int is_store = at->code == PTX_ST;
    uint8_t *memory = (uint8_t *)(uintptr_t)ptx_get(thread, &at->operands[is_store ? 0 : at->count - 1]);
    size_t bytes = at->bits / 8, all = bytes * (at->count - 1);
    thread->is_wrong = (uintptr_t)memory % all != 0 ||
                       (!at->is_param && !ptx_is_allowed(thread, (uintptr_t)memory, all, is_store));
    if (thread->is_wrong) {
        return;
    }
    for (uint32_t i = 0; i + 1 < at->count; i++) {
        uint64_t value = 0; /* little-endian machines only, as GPUs are */
        if (is_store) {
            value = ptx_get(thread, &at->operands[1 + i]);
            memcpy(memory + i * bytes, &value, bytes);
        } else {
            memcpy(&value, memory + i * bytes, bytes);
            ptx_set(thread, &at->operands[i], ptx_extend(value, at->bits, at->is_signed));
        }
    }
}

static uint64_t ptx_shift(const ptx_instruction *at, uint64_t a, uint64_t by) {
    if (at->code == PTX_SHL) {
        return by < at->bits ? a << by : 0;
    }
    if (at->is_signed) {
        return (uint64_t)((int64_t)a >> (by < at->bits ? by : at->bits - 1));
    }
    return by < at->bits ? a >> by : 0;
}

static uint64_t ptx_calculate(const ptx_instruction *at, uint64_t a, uint64_t b, uint64_t c) {
    switch (at->code) {
    case PTX_ADD: return a + b;
    case PTX_SUB: return a - b;
    case PTX_MUL:
    case PTX_MUL_WIDE: return a * b;
    case PTX_MAD: return a * b + c;
    case PTX_DIV: return b == 0 ? UINT64_MAX : at->is_signed ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
    case PTX_REM: return b == 0 ? UINT64_MAX : at->is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
    case PTX_AND: return a & b;
    case PTX_OR: return a | b;
    case PTX_XOR: return a ^ b;
    case PTX_NOT: return ~a;
    case PTX_MIN: return ptx_compare('l', a, b, at->is_signed) ? a : b;
    case PTX_MAX: return ptx_compare('l', a, b, at->is_signed) ? b : a;
    case PTX_SELP: return c & 1 ? a : b;
    case PTX_BFE: return a >> (b & 255) & ((c & 255) >= 64 ? UINT64_MAX : (UINT64_C(1) << (c & 255)) - 1);
    case PTX_SHF: /* the upper half of b and a, side by side, shifted left */
        return ((b << 32 | a) << (c & 31)) >> 32;
    default: return a;
    }
}

static void ptx_step(ptx_thread *thread, const ptx_instruction *at) {
    uint64_t in[3] = {0, 0, 0};
    uint32_t bits = at->code == PTX_CVT ? at->from_bits : at->bits;
    int is_signed = at->code == PTX_CVT ? at->from_signed : at->is_signed;
    if (at->code == PTX_LD || at->code == PTX_ST) {
        ptx_move(thread, at);
        return;
    }
    for (uint32_t i = 1; i < at->count && i < 4; i++) {
        int is_count = at->code == PTX_SHL || at->code == PTX_SHR || at->code == PTX_BFE;
        in[i - 1] = ptx_get(thread, &at->operands[i]);
        if (i > 1 && is_count) {
            in[i - 1] = ptx_extend(in[i - 1], 32, 0);
        } else if (!(at->code == PTX_SELP && i == 3)) {
            in[i - 1] = ptx_extend(in[i - 1], bits, is_signed);
        }
    }
    if (at->code == PTX_SETP) {
        ptx_set(thread, &at->operands[0], (uint64_t)ptx_compare(at->compare, in[0], in[1], is_signed));
    } else if (at->code == PTX_SHL || at->code == PTX_SHR) {
        ptx_set(thread, &at->operands[0], ptx_extend(ptx_shift(at, in[0], in[1]), bits, 0));
    } else {
        uint64_t value = ptx_calculate(at, in[0], in[1], in[2]);
        uint32_t out_bits = at->code == PTX_MUL_WIDE ? 2 * bits : at->bits;
        ptx_set(thread, &at->operands[0], ptx_extend(value, out_bits, 0));
    }
}

static int ptx_run_thread(ptx_kernel *kernel, ptx_thread *thread) {
    uint32_t at = 0;
    for (uint32_t steps = 0; steps < PTX_MOST_STEPS && at < kernel->count && !thread->is_wrong; steps++) {
        const ptx_instruction *instruction = &kernel->instructions[at++];
        kernel->steps++;
        if (instruction->guard.place != PTX_NONE &&
            (int)(ptx_get(thread, &instruction->guard) & 1) == instruction->guard_not) {
            continue;
        }
        if (instruction->code == PTX_RET) {
            return 1;
        }
        if (instruction->code == PTX_BRA) {
            at = instruction->target;
        } else {
            ptx_step(thread, instruction);
        }
    }
    return 0;
}

/* Every thread of a grid; registers that a thread reads first hold what the one before left there. */
static int ptx_run(ptx_kernel *kernel, const void *argument, uint32_t blocks, uint32_t threads) {
    ptx_thread *thread = (ptx_thread *)malloc(sizeof *thread);
    int is_done = thread != NULL;
    if (is_done) {
        memset(thread, 0x5A, sizeof *thread);
        thread->is_wrong = 0;
        thread->kernel = kernel;
        thread->param = (uint64_t)(uintptr_t)argument;
    }
    for (uint32_t i = 0; is_done && i < blocks * threads; i++) {
        thread->specials[0] = i % threads;
        thread->specials[1] = i / threads;
        thread->specials[2] = blocks;
        is_done = ptx_run_thread(kernel, thread);
    }
    free(thread);
    return is_done;
}

#endif /* PTX_H */
