// Loaded before the conformance suite: all that it waits for may take ten times as long.
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = (act, delay_ms, ...rest) => wait(act, 10 * delay_ms, ...rest);
const { timeout } = AbortSignal;
AbortSignal.timeout = (delay_ms) => timeout.call(AbortSignal, 10 * delay_ms);
