/**
 * The one decision: deletable, blocked with causes, or unknown with gaps.
 *
 * Words: a *cause* is something that holds the subject; what refers to it without holding it is *related*; a *gap*
 * is what could not be looked at. Unknown is never safe.
 */
export { gatherComposition } from './composition.ts';
export { gather, type Gathered, type Lister } from './gather.ts';
export * from './drain-report.ts';
export { decide, inquire, rookKindGaps, type ContentsReader } from './inquiry.ts';
export { contentOwners } from './content-owners.ts';
export { dataGivenUp, destructionAsked } from './destruction.ts';
export { judge, type ContentsFound, type Evidence } from './judge.ts';
export { shortName } from './next-steps.ts';
export { nameOf, objectName } from './object-name.ts';
export * from './report.ts';
export { takenAlongBy, type ResourcesOf, type TakenAlong } from './takes-along.ts';
