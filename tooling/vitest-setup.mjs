// Property tests use the same samples in every run, so that a failure in CI is reproducible. The proofs
// of `npm run prove` choose their own seeds.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.DT_SEED ?? 20_261_116) });
