"""Placement and leaders at once, where flows one after the other leave a goal open.

Which replicas move decides who can lead what, and flows choose the moves before the leaders. On the
optimal face of the goals before, both are one linear program: the flow of every partition's replicas
on that face, and a leader for each partition among those that stand there in the end. Its optimum is
nearly whole, so little is left for a 0-1 program to settle; and its multipliers prove a bound on the
goal in every plan that is as good at those before (Lagrangian relaxation: A. M. Geoffrion,
"Lagrangean relaxation for integer programming", 1974), which the judge computes anew.
"""
