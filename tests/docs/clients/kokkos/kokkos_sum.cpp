// SPDX-License-Identifier: Apache-2.0
//
// For docs/clients.md: sums of rows with Kokkos (a flat loop, teams, a reduction) beside plain C++.
#include <Kokkos_Core.hpp>
#include <cstdio>

static int wrong(int rows, int columns)
{
    Kokkos::View<double **> a("a", rows, columns);
    Kokkos::View<double *> sum("sum", rows);
    double all = 0, expected = 0;
    int failed = 0;
    Kokkos::parallel_for(rows, KOKKOS_LAMBDA(int i) {
        for (int k = 0; k < columns; k++)
            a(i, k) = i + 2 * k;
    });
    using team = Kokkos::TeamPolicy<>::member_type;
    Kokkos::parallel_for(Kokkos::TeamPolicy<>(rows, Kokkos::AUTO), KOKKOS_LAMBDA(const team &t) {
        int i = t.league_rank();
        double s = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(t, columns), [&](int k, double &to) { to += a(i, k); }, s);
        Kokkos::single(Kokkos::PerTeam(t), [&] { sum(i) = s; });
    });
    Kokkos::parallel_reduce(rows, KOKKOS_LAMBDA(int i, double &to) { to += sum(i); }, all);
    auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum);
    for (int i = 0; i < rows; i++) {
        double row = (double)columns * i + (double)columns * (columns - 1);
        failed += host(i) != row;
        expected += row;
    }
    return failed + (all != expected);
}

int main(int argc, char **argv)
{
    Kokkos::ScopeGuard guard(argc, argv);
    int failed = wrong(1000, 77);
    std::printf("%s on %s\n", failed ? "wrong" : "right", Kokkos::DefaultExecutionSpace::name());
    return failed != 0;
}
