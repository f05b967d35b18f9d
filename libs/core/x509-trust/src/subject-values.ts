import { Name } from '@peculiar/asn1-x509';
import { parseDer } from './asn1';
import type { Certificate } from './certificate';

/** The texts of one attribute in the subject of a certificate, by its object identifier. */
export function subjectValues({ subject }: Pick<Certificate, 'subject'>, type: string): readonly string[] {
  return [...parseDer(subject, Name)].flatMap((set) =>
    [...set].flatMap((attribute) =>
      attribute.type === type && attribute.value.anyValue === undefined ? [attribute.value.toString()] : [],
    ),
  );
}
