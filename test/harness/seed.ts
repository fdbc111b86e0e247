/**
 * The seed of everything that tests draw: fixed, so that a run fails by what was changed and never by what was drawn. `HEDDLE_SEED=N npm test`
 * draws something else; `npm run fuzz` and `npm run dst` draw for as long as one likes.
 */
export const SEED = Number(process.env.HEDDLE_SEED ?? 7606);
