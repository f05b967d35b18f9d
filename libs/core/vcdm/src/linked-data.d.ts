/** The parts of the JSON-LD and RDF libraries that are used here; the packages have no types. */

declare module '@digitalbazaar/credentials-context' {
  export const contexts: ReadonlyMap<string, object>;
}

declare module 'rdf-canonize' {
  export interface Term {
    readonly termType: 'NamedNode' | 'BlankNode' | 'Literal' | 'DefaultGraph';
    readonly value: string;
  }
  export interface Quad {
    readonly subject: Term;
    readonly predicate: Term;
    readonly object: Term;
    readonly graph: Term;
  }
  export interface CanonicalizationOptions {
    readonly algorithm: 'RDFC-1.0';
    readonly messageDigestAlgorithm: 'SHA-256';
    /** 1: as many deep comparisons as there are blank nodes that look alike. */
    readonly maxWorkFactor: number;
  }
  export function canonize(dataset: readonly Quad[], options: CanonicalizationOptions): Promise<string>;
}

declare module 'jsonld' {
  import type { Quad } from 'rdf-canonize';

  export type LoadDocument = (url: string) => Promise<{ documentUrl: string; document: object; tag?: 'static' }>;
  export interface ExpansionOptions {
    readonly documentLoader: LoadDocument;
    readonly base: null;
    /** Throws `jsonld.ValidationError` where something would be dropped that the library knows to be lossy. */
    readonly safe: true;
  }
  export interface ToRdfOptions extends ExpansionOptions {
    readonly skipExpansion: true;
    readonly rdfDirection: 'i18n-datatype';
    readonly produceGeneralizedRdf: false;
  }
  const jsonld: {
    expand(document: object, options: ExpansionOptions): Promise<readonly unknown[]>;
    toRDF(expanded: readonly unknown[], options: ToRdfOptions): Promise<readonly Quad[]>;
  };
  export default jsonld;
}
