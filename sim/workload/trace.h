/* SPDX-License-Identifier: MIT
 * A parsed trace: declarations, kernels as syntax trees, and the commands as a flat program.  Private to
 * sim/workload: parse*.c makes it, eval.c, fold.c, build.c and play.c use it. */
#ifndef MEMSIM_WORKLOAD_TRACE_H
#define MEMSIM_WORKLOAD_TRACE_H
#include "workload/gather.h"
#include "workload/lex.h"
#include "workload/workload.h"

#define KPARAMS_MAX 24
#define LOCALS_MAX 256

/* ---- expressions ---- */
typedef enum {
    N_INT,    /* k */
    N_TOP,    /* value slot k of the trace (parameter, let, loop variable of the commands) */
    N_ARG,    /* number k of the kernel's numeric arguments */
    N_BASE,   /* address k of the kernel's buffer arguments */
    N_CTA,    /* k = V_CTA_X.. or V_WARP */
    N_LOCAL,  /* let or loop variable k inside a kernel */
    N_BUFFER, /* address of buffer k, instance a */
    N_NEG,
    N_NOT,
    N_ADD,
    N_SUB,
    N_MUL,
    N_DIV,
    N_CEIL,
    N_MOD,
    N_MIN,
    N_MAX,
    N_LT,
    N_LE,
    N_EQ,
    N_NE,
    N_AND,
    N_XOR,
    N_SHL,
    N_SHR,
    N_MIX,
    N_BOTH /* && */,
    N_EITHER /* || */,
    N_CHOOSE /* a ? b : c */
} node_op_t;

/* What an expression is, as far as the parser knows: a kernel's parameter may be either. */
typedef enum { IS_NUMBER, IS_TEXT, IS_EITHER } value_kind_t;

typedef struct node {
    node_op_t op;
    value_kind_t is;
    int line, col;
    unsigned depth; /* of the tree below, itself included */
    int64_t k;
    const struct node *a, *b, *c;
} node_t;

/* ---- kernels ---- */
typedef enum {
    KS_ACCESS,
    KS_TILE,
    KS_COMMIT,
    KS_WAIT,
    KS_WAIT_GROUP,
    KS_COMPUTE,
    KS_SHARED,
    KS_BARRIER,
    KS_LOOP,
    KS_IF,
    KS_LET,
    KS_REQUIRE,
    KS_EXIT
} kstmt_kind_t;

typedef struct kstmt {
    kstmt_kind_t kind;
    wop_kind_t wop; /* accesses, tiles */
    int line, col;
    uint8_t token;
    uint32_t local;                                 /* KS_LET, KS_LOOP */
    int32_t index;                                  /* gather: which index declaration, -1 none */
    const node_t *elem, *addr, *step, *lanes, *pos; /* accesses */
    const node_t *amount, *rows;    /* compute, shared, tile, wait group, let, if, require */
    const node_t *from, *to, *unit; /* loop [from, to); compute's unit */
    const char *message;
    const struct kstmt *body, *other; /* loop, if, else */
    const struct kstmt *next;
} kstmt_t;

typedef enum { KP_NUMBER, KP_IN, KP_OUT, KP_INOUT } kparam_role_t;
typedef struct kparam {
    const char *name;
    kparam_role_t role;
    uint32_t slot;      /* number among the numeric, or among the buffer parameters */
    const node_t *size; /* buffers: bytes the kernel works on */
} kparam_t;

typedef struct kernel_def {
    const char *name, *kind;
    int line, col;
    uint32_t nparams, nnumbers, nbases;
    kparam_t param[KPARAMS_MAX];
    const node_t *grid[3], *block, *regs, *shared, *flops, *useful_read, *useful_write;
    bool agent, broken; /* broken: a fault in its text */
    uint32_t nlocals, ntokens;
    const kstmt_t *body;
    struct built *built; /* latest evaluation, owned by build.c */
} kernel_def_t;

/* ---- declarations ---- */
typedef struct param_def {
    const char *name, *help;
    int line, col;
    uint32_t slot;
    const node_t *dflt, *min, *max;
    const char **
        choice; /* choice parameter: the texts; its value is the text's number in the trace's strings */
    uint32_t nchoices;
    bool set; /* by -D */
} param_def_t;

typedef struct buffer_def {
    const char *name, *role;
    int line, col;
    const node_t *count, *size;
    uint64_t instances, stride; /* evaluated */
    addr_t base;
} buffer_def_t;

typedef enum {
    IX_UNIFORM,
    IX_ZIPF,
    IX_CYCLE,
    IX_STRIDE,
    IX_LIST,
    IX_NEIGHBORS,
    IX_ENTRIES,
    IX_KINDS
} index_kind_t;
typedef struct index_def {
    const char *name;
    int line, col;
    index_kind_t kind;
    const node_t *arg[3];
    uint32_t nargs;
    const char *path;
    gather_t gather;
} index_def_t;

typedef enum { DC_PARAM, DC_LET, DC_REQUIRE, DC_BUFFER, DC_INDEX, DC_TOKENS } decl_kind_t;
typedef struct decl { /* evaluated in the order of the file when the workload is opened */
    decl_kind_t kind;
    int line, col;
    uint32_t id; /* of the param, buffer, index; slot of a let */
    const node_t *value;
    const char *message;
} decl_t;

/* ---- commands ---- */
typedef enum {
    CM_LAUNCH,
    CM_COPY,
    CM_RECORD,
    CM_WAIT,
    CM_COLLECTIVE,
    CM_RAW,
    CM_GRAPH_BEGIN,
    CM_GRAPH_END,
    CM_MARK,
    CM_LET,
    CM_FOR,
    CM_NEXT,
    CM_UNLESS,
    CM_JUMP,
    CM_REQUIRE
} cmd_kind_t;
typedef struct cmd {
    cmd_kind_t kind;
    int line, col;
    uint32_t
        id; /* kernel; raw section; value slot of let and for (its end is in the slot behind) */
    uint32_t jump; /* where to go: UNLESS if zero, FOR if empty, NEXT back to the body */
    const node_t *stream, *a, *b, *c;
    const node_t *const *arg; /* launch: in the kernel's order, numbers and buffers mixed */
    const char *text;
} cmd_t;

typedef struct trace {
    arena_t *arena;
    const char *file, *title;
    lex_t lex;
    param_def_t *param;
    buffer_def_t *buffer;
    index_def_t *index;
    decl_t *decl;
    kernel_def_t **kernel;
    cmd_t *cmd;
    const char **string; /* texts that appear as values, numbered */
    size_t nparam, nbuffer, nindex, ndecl, nkernel, ncmd, nstring;
    size_t cparam, cbuffer, cindex, cdecl_, ckernel, ccmd, cstring;
    uint32_t nslots;
    int64_t *slot; /* values of parameters, lets and loop variables of the commands */
    unsigned warp_lanes;
    uint64_t seed;
    double tokens;
    buffer_info_t *info;
    uint64_t footprint;
    struct liquid
        *liquid; /* of the last neighbors(...), so that a list and its entries share one */
    uint64_t liquid_atoms, liquid_seed;
} trace_t;

/* Number of a text used as a value ("copy16"): equal texts, equal numbers, never a number a formula gives. */
#define STRING_VALUE_BASE (INT64_C(1) << 61)

/* ---- parse.c ---- */
/* Tokens -> t, all faults reported.  t->arena, lex, file, warp_lanes are set by the caller. */
int trace_parse(trace_t *t, diag_t *d);
int64_t trace_string(trace_t *t, const char *text);

/* ---- declare.c: -D, parameters, lets, buffers, indices, in the order of the file ---- */
int trace_declare(trace_t *t, const char *const *define, size_t n_define, diag_t *d);
/* Value of a parameter as text, in the arena. */
const char *trace_param_text(trace_t *t, const param_def_t *p);

/* ---- eval.c ---- */
typedef struct eval { /* what an expression may see */
    const trace_t *trace;
    const int64_t *arg;
    const addr_t *base;
    const char *why; /* set at the first fault: overflow, division by zero, instance out of range */
    const node_t *where;
} eval_t;
int64_t eval_node(eval_t *e, const node_t *x);
/* One operator on numbers; false with *why on overflow or division by zero.  op is N_NEG..N_MIX. */
bool eval_op(node_op_t op, int64_t a, int64_t b, int64_t *out, const char **why);
/* Report e->why at e->where; returns MS_INPUT. */
int eval_report(const eval_t *e, diag_t *d);

/* ---- build.c ---- */
/* The kernel for these arguments; kept in def until the next call, freed by build_free. */
int build_kernel(trace_t *t, kernel_def_t *def, const int64_t *arg, const addr_t *base,
                 const kernel_t **out, diag_t *d);
void build_free(kernel_def_t *def);

/* ---- play.c ---- */
typedef struct player player_t;
player_t *player_new(trace_t *t);
void player_free(player_t *p);
void player_rewind(player_t *p);
int player_next(player_t *p, wcmd_t *c, diag_t *d);
#endif
