import { encodeBase64url } from '@vestibule/foundation';
import type { Place } from '../purge/places';
import { newName } from './persons';
import { findNames } from './remains';

const place = (name: string, ...texts: string[]): Place => ({
  name,
  read: async () => texts.map((text, index) => ({ where: `row ${index + 1}`, bytes: Buffer.from(text) })),
});

describe('names of persons', () => {
  it('are found wherever they are, plain or as a disclosure', async () => {
    const disclosure = encodeBase64url(Buffer.from(JSON.stringify(['salt', 'family_name', newName()])));
    const places = [place('table', 'nothing', newName()), place('log', `{"vp":"${disclosure}~"}`)];
    expect(await findNames(places)).toEqual(['table: row 2 (plain)', 'log: row 1 (base64)']);
  });

  it('are not seen where there are none', async () => {
    expect(await findNames([place('table', 'Example', ''), place('log')])).toEqual([]);
  });
});
