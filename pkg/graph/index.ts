/**
 * Edges between objects, and the walks over them. Knows no kind.
 *
 * Words: an *edge* always points from the **dependent** to the **provider** it needs. A *source* is the object an
 * edge was read from: mostly the dependent, sometimes the provider (a volume names the claim that is bound to it).
 */
export * from './edge.ts';
export * from './graph.ts';
export * from './order.ts';
export * from './reduce.ts';
export * from './smallest.ts';
export * from './walk.ts';
