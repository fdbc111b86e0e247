/** Something that a user wrote for a simulation and that cannot be run: one line that says what, where and why. Thrown before anything runs. */
export class SimulationInputError extends Error {}
