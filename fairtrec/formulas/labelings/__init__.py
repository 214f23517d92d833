"""What a value can be over all labelings: all ways to give each document of unknown group one group.

The form of a measure says what it makes of the groups (``Form.over_labels``), and that says how the least, the greatest
and the expected value are found. k ranks, u of them unknown, g groups:

**Totals**: a function of what each group holds in all. The unknown add a composition of u into g parts, and each
composition is that of some labeling, so all (u + 1)^(g - 1) are tried, with their multinomial probabilities. Exact.

**Prefixes**: a sum over ranks of a function of what each group holds down to the rank. A labeling is a path over
(rank, unknown so far given to each group), each path is that of some labeling, and the shortest, the longest and the
mean path are found in O(k u^(g-1) g) steps. Exact. **Finals**: the same, for each end, where the function depends on
what each group holds in the end as well.

A document may be of none of the groups, too, where labels or the prior say so: one more way in each of these forms,
which adds to no group. Rankings in which nobody is of a group are left out where the value is undefined.

**Linear**: each rank adds a gain for its group, and so each unknown rank its least, greatest or expected gain. Exact.
**Gains**: the same of gains that are no sum over a document's groups.

**Exposed**: a convex (or concave) function of exposure. The unknown ranks bring the known exposure K to a point of
K + U times the simplex, U their summed weight: a sum of scaled simplices is one simplex. Its corners are the labelings
that give all unknown to one group, and a convex function is greatest at a corner: exact with g evaluations. The other
end is at most as far as the least over the whole simplex, where the level of exposure, relative to what is wanted,
rises like water: a bound that no labeling passes. With none as a way the simplex has K itself as a corner, and its
image under a quotient is the hull of those of its corners. **Portion**: the quotient itself, such as Exposure, is
extreme at corners; what is expected of it is tried or drawn.

**Ratio**: of the mean weights of two groups. Of all labelings that give s unknown ranks to the first group, the ratio
of means rises with their summed weight. So it is extreme where these are the s heaviest or the s lightest: 2 (u + 1)
evaluations. The least to the greatest mean is least there, too; it is greatest where the two means are nearest, which
is a bound (1) where they change places in between.

Up to MOST labelings of a query are all tried where that is quick, so that both ends are exact. Where no form says
anything, all are tried, or of more than MOST, DRAWN are drawn by the prior: these ends are no bounds.
"""
