/** Time as a parameter: tests step it, and nothing sleeps past an abort. */
export { systemClock, type Clock } from './clock.ts';
