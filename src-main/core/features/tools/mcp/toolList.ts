import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { McpTransport } from '../../../../../src-preload/contract/tools.ts'
import { limits } from '../limits.ts'

/** A tool as its server describes it, within the limits. */
export interface ListedTool {
  name: string
  title: string | null
  description: string
  /** JSON text. */
  schema: string
  fault: string | null
  readOnly: boolean | null
  destructive: boolean | null
  /** Hash of the form that a person allows: server, command or URL, name, description and schema. */
  fingerprint: string
}

const hint = z.boolean().nullable().catch(null)
const words = z.string().nullable().catch(null)
const listed = z.object({
  name: z.string().min(1).max(limits.toolNameLength),
  title: words.default(null),
  description: z.string().catch(''),
  inputSchema: z.unknown(),
  annotations: z
    .object({ title: words.default(null), readOnlyHint: hint.default(null), destructiveHint: hint.default(null) })
    .nullable()
    .catch(null)
    .default(null),
})

/**
 * Reads the tool list of a server. Tools without a usable name or with a duplicate name are omitted. A tool with an
 * unusable schema has a `fault`, and so has every tool after the schemas of this server took longer than `allMs` to check.
 */
export async function readListing(
  raw: readonly unknown[],
  server: { id: string; transport: McpTransport },
  check: (schema: string) => Promise<string[]>,
  allMs: number = limits.listCheckMs,
): Promise<ListedTool[]> {
  const tools = new Map<string, ListedTool>()
  let spentMs = 0
  const faultOf = async (schema: string | null): Promise<string | undefined> => {
    if (schema === null) return 'It has no readable schema.'
    if (spentMs > allMs) return 'It was not checked, because checking the tools of this server took too long.'
    const start = performance.now()
    const [fault] = await check(schema)
    spentMs += performance.now() - start
    return fault
  }
  for (const one of raw) {
    const parsed = listed.safeParse(one)
    if (!parsed.success || tools.has(parsed.data.name)) continue
    const { name, title, description, inputSchema, annotations } = parsed.data
    const schema = asJson(inputSchema)
    const fault = await faultOf(schema)
    tools.set(name, {
      name,
      title: (title ?? annotations?.title ?? null)?.slice(0, 200).toWellFormed() ?? null,
      description: description.slice(0, limits.descriptionLength).toWellFormed(),
      schema: fault === undefined ? (schema ?? '') : '',
      fault: fault === undefined ? null : `Its schema can’t be used. ${fault}`,
      readOnly: annotations?.readOnlyHint ?? null,
      destructive: annotations?.destructiveHint ?? null,
      fingerprint: fingerprintOf([server.id, server.transport, name, title, description, schema, annotations]),
    })
  }
  return [...tools.values()]
}

/** SHA-256 of the JSON of a value, in hex. */
export const fingerprintOf = (form: unknown): string => createHash('sha256').update(JSON.stringify(form)).digest('hex')

function asJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch {
    return null
  }
}
