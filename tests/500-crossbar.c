/* SPDX-License-Identifier: MIT
 * The crossbar's ports and trunks against closed forms: unloaded, a packet takes its bytes over the port's width
 * and the latency; loaded, a port or a trunk passes exactly its width. */
#include "link/xbar.h"
#include "test.h"

/* 1 GHz: a cycle is 1000 ps.  Requests leave at 16 B, replies at 32 B a cycle; a packet carries 8 B of header. */
enum { REQUEST = 16, REPLY = 32, HEADER = 8, LATENCY_PS = 40000, N = 100 };

static xbar_param_t param(uint32_t trunk)
{
    return (xbar_param_t){.latency = {LATENCY_PS, false},
                          .sm_request_bytes_per_clk = REQUEST,
                          .sm_reply_bytes_per_clk = REPLY,
                          .slice_request_bytes_per_clk = 64,
                          .slice_reply_bytes_per_clk = 64,
                          .header_bytes = HEADER,
                          .gpcs = 1,
                          .gpc_bytes_per_clk = trunk};
}

static xbar_t make(uint32_t trunk)
{
    xbar_t x;
    xbar_param_t p = param(trunk);
    xbar_init(&x, &p, (clk_t){1000000000});
    return x;
}

static req_t packet(req_kind_t kind, uint8_t sectors)
{
    return (req_t){.kind = (uint8_t)kind, .sectors = sectors};
}

static ps_t cycles(double n)
{
    return (ps_t)(n * 1000);
}

START_TEST(a_lone_packet_takes_its_bytes_over_the_width_and_the_latency)
{
    static const struct {
        req_kind_t kind;
        uint8_t sectors;
        unsigned up, down; /* bytes beside the header */
    } c[] = {{REQ_READ, 0x1, 0, 32},   {REQ_READ, 0xf, 0, 128},  {REQ_WRITE, 0x1, 32, 0},
             {REQ_WRITE, 0x7, 96, 0},  {REQ_WRITE, 0xf, 128, 0}, {REQ_ATOMIC, 0x3, 64, 64},
             {REQ_PREFETCH, 0xf, 0, 0}};
    xbar_t x = make(0);
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        xbar_port_t port = {.trunk_up = NULL};
        req_t r = packet(c[i].kind, c[i].sectors);
        ck_assert_int_eq(xbar_up(&x, &port, &r, 7000),
                         7000 + cycles((HEADER + c[i].up) / (double)REQUEST) + LATENCY_PS);
        ck_assert_int_eq(xbar_down(&x, &port, &r, 90000),
                         90000 + cycles((HEADER + c[i].down) / (double)REPLY));
        ck_assert_uint_eq(port.st.request_bytes, HEADER + c[i].up);
        ck_assert_uint_eq(port.st.reply_bytes, HEADER + c[i].down);
        ck_assert_uint_eq(port.st.request_packets, 1);
        ck_assert_uint_eq(port.st.reply_packets, 1);
    }
}
END_TEST

START_TEST(a_busy_port_passes_its_width_and_no_more)
{
    xbar_t x = make(0);
    xbar_port_t port = {.trunk_up = NULL};
    req_t w = packet(REQ_WRITE, 0xf), r = packet(REQ_READ, 0x3);
    ps_t up = 0, down = 0;
    for (unsigned i = 0; i < N; i++) { /* all at one time */
        up = xbar_up(&x, &port, &w, 0);
        down = xbar_down(&x, &port, &r, 0);
    }
    /* 136 B at 16 B: 8.5 cycles each; 72 B at 32 B: 2.25 */
    ck_assert_int_eq(up, cycles(N * 8.5) + LATENCY_PS);
    ck_assert_int_eq(down, cycles(N * 2.25));
    ck_assert_uint_eq(port.st.request_busy_ps, (uint64_t)cycles(N * 8.5));
    ck_assert_uint_eq(port.st.reply_busy_ps, (uint64_t)cycles(N * 2.25));
    /* the directions do not disturb each other, and after a pause there is no queue */
    ck_assert_int_eq(xbar_down(&x, &port, &r, cycles(1000)), cycles(1000 + 2.25));
}
END_TEST

START_TEST(packets_slower_than_the_port_do_not_queue)
{
    xbar_t x = make(0);
    xbar_port_t port = {.trunk_up = NULL};
    req_t r = packet(REQ_READ, 0xf); /* 136 / 32 = 4.25 cycles */
    for (unsigned i = 0; i < N; i++)
        ck_assert_int_eq(xbar_down(&x, &port, &r, cycles(4.25 * i)), cycles(4.25 * (i + 1)));
    ck_assert_int_eq(xbar_down(&x, &port, &r, cycles(4.25 * N) - 1), cycles(4.25 * (N + 1)));
}
END_TEST

START_TEST(a_trunk_is_shared_by_its_group)
{
    enum { TRUNK = 32 };
    xbar_t x = make(TRUNK);
    server_t up = {0, 0}, down = {0, 0};
    xbar_port_t port[4];
    for (unsigned i = 0; i < 4; i++) port[i] = (xbar_port_t){.trunk_up = &up, .trunk_down = &down};
    req_t w = packet(REQ_WRITE, 0xf), r = packet(REQ_READ, 0xf);
    ps_t last_up = 0, last_down = 0;
    for (unsigned i = 0; i < N; i++) {
        ps_t a = xbar_up(&x, &port[i % 4], &w, 0), b = xbar_down(&x, &port[i % 4], &r, 0);
        last_up = ps_later(last_up, a);
        last_down = ps_later(last_down, b);
    }
    /* Up: the first packet is 8.5 cycles in its port; then the trunk, 136 / 32 = 4.25 cycles each, is the narrowest
     * (four ports bring one every 8.5 / 4).  Down: the trunk first, and the last packet's port. */
    ck_assert_int_eq(last_up, cycles(8.5 + N * 4.25) + LATENCY_PS);
    ck_assert_int_eq(last_down, cycles(N * 4.25 + 4.25));
    uint64_t busy = 0;
    for (unsigned i = 0; i < 4; i++) busy += port[i].st.trunk_busy_ps;
    ck_assert_uint_eq(busy, (uint64_t)(2 * cycles(N * 4.25)));
    /* an SM outside the group is not held up */
    xbar_port_t alone = {.trunk_up = NULL};
    ck_assert_int_eq(xbar_up(&x, &alone, &w, 0), cycles(8.5) + LATENCY_PS);
}
END_TEST

START_TEST(no_width_is_beaten_whatever_the_clock)
{
    static const uint64_t hz[] = {1593000000, 1830000000, 2619000000};
    for (unsigned i = 0; i < 3; i++) {
        xbar_t x;
        xbar_param_t p = param(0);
        xbar_init(&x, &p, (clk_t){hz[i]});
        xbar_port_t port = {.trunk_up = NULL};
        req_t r = packet(REQ_READ, 0xf);
        ps_t end = 0;
        for (unsigned k = 0; k < 1000; k++) end = xbar_down(&x, &port, &r, 0);
        double least = 1000 * 136.0 / REPLY / (double)hz[i] * 1e12;
        ck_assert_msg((double)end >= least && (double)end < least + 1000, "%lld ps, %f are least",
                      (long long)end, least);
    }
}
END_TEST

TEST_MAIN("crossbar", a_lone_packet_takes_its_bytes_over_the_width_and_the_latency,
          a_busy_port_passes_its_width_and_no_more, packets_slower_than_the_port_do_not_queue,
          a_trunk_is_shared_by_its_group, no_width_is_beaten_whatever_the_clock)
