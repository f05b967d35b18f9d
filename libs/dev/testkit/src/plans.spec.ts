import { READS_ALL } from './plans';

const COSTS = '(cost=0.12..8.14 rows=1 width=66)';

describe('a plan that reads all of a table', () => {
  it.each([
    ['as it is', `Seq Scan on offer  ${COSTS}`],
    ['in parts', `Gather  ${COSTS}\n  ->  Parallel Seq Scan on offer  ${COSTS}`],
    ['through an index, at the end', `Nested Loop  ${COSTS}\n  ->  Index Scan using offer_pkey on offer  ${COSTS}`],
    ['through an index, for a filter', `Index Scan using offer_pkey on offer  ${COSTS}\n  Filter: (status = 1)`],
    [
      'backward',
      `Limit  ${COSTS}\n  ->  Index Scan Backward using offer_pkey on offer  ${COSTS}\n        Filter: (status = 1)`,
    ],
    ['in an index alone', `Index Only Scan using offer_pkey on offer  ${COSTS}\n  Filter: (id <> 1)`],
    ['by a bitmap', `Bitmap Heap Scan on offer  ${COSTS}\n  ->  Bitmap Index Scan on offer_open  ${COSTS}`],
    [
      'after what is read by its key',
      `Index Scan using a on b  ${COSTS}\n  Index Cond: (id = 1)\nIndex Scan using c on d  ${COSTS}`,
    ],
  ])('is found: %s', (_how, plan) => expect(plan).toMatch(READS_ALL));

  it.each([
    [
      'by key',
      `Update on offer  ${COSTS}\n  ->  Index Scan using offer_pkey on offer  ${COSTS}\n        Index Cond: (id = $1)`,
    ],
    ['backward, by key', `Index Only Scan Backward using offer_pkey on offer  ${COSTS}\n  Index Cond: (id < $1)`],
    [
      'by a bitmap',
      `Bitmap Heap Scan on offer  ${COSTS}\n  ->  Bitmap Index Scan on offer_open  ${COSTS}\n        Index Cond: (id = $1)`,
    ],
    ['by place', `Tid Scan on offer  ${COSTS}\n  TID Cond: (ctid = ANY ($0))`],
  ])('is not one that reads rows %s', (_how, plan) => expect(plan).not.toMatch(READS_ALL));
});
