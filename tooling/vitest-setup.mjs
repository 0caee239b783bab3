// Property tests take the same samples on every machine and every run: a failure in CI is a failure at
// home. Long runs over other samples are `pnpm prove`.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.DT_SEED ?? 20_261_116) });
