import fc from 'fast-check';
import { packStatuses } from './build-status-list';
import { indexesWith } from './published-statuses';
import { readStatus } from './status-list';

describe('indexesWith', () => {
  it('finds every entry with a status and no other', () => {
    const bits = fc.constantFrom(1 as const, 2 as const, 4 as const, 8 as const);
    const entries = fc.uniqueArray(fc.record({ idx: fc.nat(255), status: fc.nat(255) }), {
      selector: ({ idx }) => idx,
    });
    fc.assert(
      fc.property(bits, entries, (width, drawn) => {
        const fitting = drawn.map(({ idx, status }) => ({ idx, status: status % (1 << width) }));
        const list = packStatuses(256, width, fitting);
        for (let status = 1; status < 1 << Math.min(width, 2); status += 1) {
          const all = Array.from({ length: 256 }, (_, idx) => idx).filter((idx) => readStatus(list, idx) === status);
          expect(indexesWith(list, status)).toEqual(all);
        }
      }),
    );
  });
});
