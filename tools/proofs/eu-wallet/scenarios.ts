import type { World } from './world';

/** One thing that the wallet does; rejects if anything is not as it should be. */
export interface Scenario {
  readonly name: string;
  run(world: World): Promise<void>;
}

/** Claims of an invented person, with an object and an array. */
export const PERSON = {
  given_name: 'Ada',
  family_name: 'Example',
  birthdate: '1990-01-31',
  address: { locality: 'Bonn', country: 'DE' },
  nationalities: ['DE', 'FR'],
  issuing_country: 'DE',
};
