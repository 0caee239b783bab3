import type { BudgetAmount, BudgetLimits, BudgetRequest, Usage } from "@dt/schema";
import { type Model, ModelError } from "../model/model.js";
import type { ModelPart } from "../model/model-part.js";
import { costNanosOf, type ModelPrice } from "../model/model-price.js";
import { type AttemptLimit, streamAttemptWithin } from "../model/retry/attempt-limit.js";
import { describeRefusal, describeWarnings } from "./describe-budget.js";
import { estimateInputTokens, estimatePartTokens } from "./estimate-tokens.js";
import type { SessionBudget } from "./session-budget.js";

/** Options of {@link withBudget}. */
export interface BudgetedModelOptions {
  readonly budget: SessionBudget;
  readonly limits: BudgetLimits;
  /** Price of the model; undefined if it is not known. */
  readonly price: ModelPrice | undefined;
  /** Returns the number of tokens of the last request and its reply; 0 if no count is known. */
  contextTokens(): number;
  /** Announces warnings; a warning that was announced before is left out. */
  announce(warnings: readonly string[]): Promise<void>;
}

/** Maximum output tokens of one reply if neither the settings nor the model has a maximum. */
const REPLY_TOKENS = 16_384;
/** A call is made only if the budget leaves at least this many output tokens. */
const LEAST_REPLY_TOKENS = 256;
const FREE: ModelPrice = { input: 0, output: 0 };

/**
 * Wraps a model, so that no call can cross a budget. Before a call, its input and its largest output are reserved,
 * and its output is limited to the reserved amount. After the call, the used amount replaces the reservation. Each
 * retry reserves again.
 */
export function withBudget(model: Model, options: BudgetedModelOptions): Model {
  const attemptLimit = createBudgetLimit(model, options);
  return {
    name: model.name,
    ...(model.contextTokens !== undefined && { contextTokens: model.contextTokens }),
    ...(model.outputTokens !== undefined && { outputTokens: model.outputTokens }),
    async *stream(request) {
      const limited = { ...request, attemptLimit };
      if (model.limitsAttempts === true) return yield* model.stream(limited);
      const batches = streamAttemptWithin((each) => toBatches(model.stream(each)), limited);
      for await (const batch of batches) yield* batch;
    },
  };
}

async function* toBatches(parts: AsyncIterable<ModelPart>): AsyncGenerator<readonly ModelPart[]> {
  for await (const part of parts) yield [part];
}

/** Creates the limit that reserves before each attempt and settles after it. */
function createBudgetLimit(model: Model, options: BudgetedModelOptions): AttemptLimit {
  const { budget, limits, contextTokens, announce } = options;
  const most = budget.replyTokens ?? model.outputTokens ?? REPLY_TOKENS;

  return {
    async open(request) {
      const price = checkPrice(model, options);
      const input = estimateInputTokens({ request, contextTokens: contextTokens() });
      const asked = toBudgetRequest({ limits, price, input, most });
      const decision = await budget.port.reserve(asked);
      if (decision.type === "refused") throw new ModelError(describeRefusal(decision));
      const { reservationId, output } = decision;
      let usage: Usage | undefined;
      let received = 0;
      return {
        maxOutputTokens: output,
        notice: output < most ? `the budget leaves ${output} tokens for this reply` : undefined,
        note(part) {
          if (part.type === "usage") usage = part.usage;
          received += estimatePartTokens(part);
        },
        async close({ isFailed }) {
          // If a call fails before its first part, the vendor has refused it and charges nothing.
          const isFree = isFailed && received === 0 && !request.signal.aborted;
          const estimated = { ...NO_TOKENS, inputTokens: input, outputTokens: received };
          const used = usage ?? (isFree ? NO_TOKENS : estimated);
          await budget.port.settle(reservationId, toAmount(used, price));
          if (!request.signal.aborted) await announce(describeWarnings(await budget.readUse()));
        },
      };
    },
  };
}

const NO_TOKENS: Usage = { inputTokens: 0, outputTokens: 0, thoughtTokens: 0, cachedTokens: 0 };

/** Returns the price of a model. Throws if money is limited and the price is not known. */
function checkPrice(
  { name }: Model,
  { limits, price }: Pick<BudgetedModelOptions, "limits" | "price">,
): ModelPrice {
  const isMoneyLimited = limits.sessionNanos !== undefined || limits.dayNanos !== undefined;
  if (price !== undefined || !isMoneyLimited || name === "offline") return price ?? FREE;
  throw new ModelError(
    `the price of ${name} is not known, so its cost cannot be limited; add it under prices in the settings, or choose another model`,
  );
}

function toBudgetRequest({
  limits,
  price,
  input: tokens,
  most,
}: {
  readonly limits: BudgetLimits;
  readonly price: ModelPrice;
  readonly input: number;
  readonly most: number;
}): BudgetRequest {
  // An input token costs either the input price or the cached price. The higher one is reserved.
  const inputPrice = Math.max(price.input, price.cached ?? 0);
  return {
    limits,
    input: { tokens, nanos: Math.ceil(tokens * inputPrice * 1_000) },
    leastOutput: Math.min(most, LEAST_REPLY_TOKENS),
    mostOutput: most,
    outputNanos: price.output * 1_000,
  };
}

function toAmount(usage: Usage, price: ModelPrice): BudgetAmount {
  const { inputTokens, outputTokens, thoughtTokens } = usage;
  return {
    tokens: inputTokens + outputTokens + thoughtTokens,
    nanos: costNanosOf(usage, price),
  };
}
