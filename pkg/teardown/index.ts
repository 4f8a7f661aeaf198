/**
 * Takes an object down with all that depends on it, leaves first.
 *
 * Words: a *plan* has *levels*; the *steps* of a level are done together, and the next level waits until they are gone.
 * A step *deletes* its object or only *awaits* its end, where a driver removes it. What a plan would have to destroy and
 * nobody asked for, or what somebody still uses, is an *obstacle*: with one, nothing is begun.
 */
export { carryOut, type CarryOutPorts, type Cascade, type Progress, type Result } from './carry-out.ts';
export { planDocument } from './plan-document.ts';
export { planText, stepName } from './plan-text.ts';
export type { Obstacle, Plan, PlanOptions, Step } from './plan.ts';
export { surveyTeardown, type SurveyPorts } from './survey.ts';
