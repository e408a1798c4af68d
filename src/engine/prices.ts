import type { Price } from '../agent/run-protocol.ts';
import type { PriceTable } from '../config/price-table.ts';
import { priceCeiling } from '../lifecycle/ceiling.ts';
import type { Facts } from '../lifecycle/facts.ts';
import type { Memory } from '../lifecycle/memory.ts';

/** What the model costs; `null` where that is not known. */
export type ReadPrice = () => Promise<Price | null>;

/** The operator's own price of a model goes before the one that is published. */
export function priceReader(own: PriceTable, model: string): ReadPrice {
  return async () => own.get(model) ?? (await publishedPrice(model));
}

/**
 * The library answers with the most similar model that it knows, whose price may be another: only the model itself counts,
 * or a dated version of it. It is large, and loaded with the first price that is asked for.
 */
async function publishedPrice(model: string): Promise<Price | null> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { providerId: 'anthropic' });
  if (found === null || found.model.id !== model.replace(/-\d{8}$/, '')) return null;
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = found.model_price;
  const [input, output] = [baseOf(input_mtok), baseOf(output_mtok)];
  if (input === null || output === null) return null;
  return { input, output, cacheRead: baseOf(cache_read_mtok) ?? input, cacheWrite: baseOf(cache_write_mtok) ?? input };
}

/** Higher tiers begin where a request is longer than a run's can be without asking for it. */
function baseOf(price: number | { readonly base: number } | undefined): number | null {
  return typeof price === 'object' ? price.base : (price ?? null);
}

/** What is remembered, with whether the price is known that a ceiling in dollars needs. It is asked for only then. */
export async function withPrice(memory: Memory, { policy }: Facts, readPrice: ReadPrice): Promise<Memory> {
  if ('problems' in policy || priceCeiling(policy.budget) === null) return memory;
  return (await readPrice()) === null ? { ...memory, isPriceUnknown: true } : memory;
}
