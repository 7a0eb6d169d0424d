"""The kinematic snake of three links, by hand: links of length 1, mass 1, inertia 1/12."""

from math import cos, sin

from model_lab import dot, plus, solve, times, transpose


def snake_rows(theta, a1, a2):
    """W of the three wheel pairs in (x, y, theta, a1, a2), L = 1/2."""
    L = 0.5
    return [[-sin(theta + a1), cos(theta + a1), -L * cos(a1) - L, -L, 0],
            [-sin(theta), cos(theta), 0, 0, 0],
            [-sin(theta + a2), cos(theta + a2), L * cos(a2) + L, 0, L]]


def snake_torques(theta, a1, a2, qd, qdd):
    """What drives the joints: the side forces and torques that move three masses so.

    Links of mass 1 and inertia 1/12: Jacobians of their centers, J, and J' q'.
    """
    L, inertia = 0.5, 1 / 12
    push = [0.0] * 5
    for sign, bend, column in ((-1, a1, 3), (0, 0.0, None), (1, a2, 4)):
        # center = (x, y) + sign L (e(theta) + e(theta + bend))
        far = theta + bend
        rate = [qd[2], qd[2] + (qd[column] if column else 0.0)]
        J = [[1, 0, sign * L * (-sin(theta) - sin(far)), 0, 0],
             [0, 1, sign * L * (cos(theta) + cos(far)), 0, 0]]
        spin = [0, 0, 1, 0, 0]
        if column:
            J[0][column], J[1][column] = -sign * L * sin(far), sign * L * cos(far)
            spin[column] = 1
        drift = [-sign * L * (cos(theta) * rate[0]**2 + cos(far) * rate[1]**2),
                 -sign * L * (sin(theta) * rate[0]**2 + sin(far) * rate[1]**2)]
        push = plus(push, times(transpose(J), plus(times(J, qdd), drift)))
        push = plus(push, spin, inertia * dot(spin, qdd))
    rows = snake_rows(theta, a1, a2) + [[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    return solve(transpose(rows), push)
