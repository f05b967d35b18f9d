import { randomUUID } from 'node:crypto';
import { createCanary, formsOf } from '../purge/canary';

const { core } = createCanary();

/** The name of a person that no other flow has. */
export const newName = (): string => `${core} ${randomUUID()}`;

/** All forms in which any of these names might be stored. */
export const NAME_FORMS = formsOf({ core, mark: core });
