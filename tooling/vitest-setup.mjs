// Property tests use the same samples in every run, so that a failure in CI is reproducible. `npm run prove`
// does not load this file, so its samples differ in every run.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.DT_SEED ?? 20_261_116) });
