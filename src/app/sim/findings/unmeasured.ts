/** A job that was done before the part of the run came in which the flows beside it count. Pure. */
import { type Finder, grouped } from './evidence.js';

export const unmeasured: Finder = ({ runs, scheme, measure }) => {
  if (!measure) return undefined;
  const without = runs.filter(({ background }) => background && !background.slowdown);
  if (without.length === 0) return undefined;
  const duration = without.reduce((most, run) => Math.max(most, run.duration), 0);
  const until = measure.until === undefined ? '' : ` until ${grouped(measure.until)} us`;
  const where = runs.length === 1 ? '' : ` in ${without.length} of ${runs.length} runs`;
  return {
    scheme,
    kind: 'unmeasured',
    text: `No background flow counts${where}: those that start from ${grouped(measure.from)} us on${until} do, once they have ended, and the run was over after ${grouped(Math.round(duration))} us.`,
    values: { from: measure.from, duration },
  };
};
