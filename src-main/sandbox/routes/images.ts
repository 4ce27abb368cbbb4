import { Decimal } from 'decimal.js'
import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { settleEarly } from '../faults/early.ts'
import { admit, type Call } from '../http/call.ts'
import { readJson } from '../http/read.ts'
import { findModel } from '../world/models.ts'
import { seededHex } from '../world/seed.ts'

/** Number of newest images that stay available. */
const KEPT = 200

const imageRequest = z.looseObject({
  prompt: z.string().min(1, 'must say what to draw'),
  /** Accepted but ignored. */
  model: z.string().optional(),
  n: z.int().min(1).max(4).default(1),
  /** Accepted; does not set the dimensions. */
  size: z.string().default('1024x1024'),
  response_format: z.enum(['url', 'b64_json']).default('url'),
  sandbox: z.looseObject({ fault: z.string().optional() }).optional(),
})

/** POST /v1/images/generations */
export async function images(call: Call): Promise<void> {
  const { world, key, record, reply } = call
  const request = await readJson(call.request, record, imageRequest)
  record.model = request.model ?? null
  if (await orderedByBody(call, request)) return
  const painter = findModel('painter', new Set())
  if (!painter) throw new ServiceError(500, 'internal_error', 'The image backend is missing.')
  admit(call, painter, 0)
  const { drawImage } = await import('../images/draw.ts')
  const data: ({ url: string } | { b64_json: string })[] = []
  for (let index = 0; index < request.n; index += 1) {
    const bytes = drawImage(request.prompt, index)
    if (request.response_format === 'b64_json') data.push({ b64_json: Buffer.from(bytes).toString('base64') })
    else
      data.push({ url: store(call, seededHex(32, world.seed, key.account.id, request.prompt, String(index)), bytes) })
    // Drawing takes tens of ms per image. Other requests run between two images.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const cost = new Decimal(painter.price.each).times(request.n)
  world.accounting.charge(key, { model: painter.id, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost })
  await reply.json(200, { created: Math.floor(world.now() / 1000), data })
}

/** Applies faults from the body (`sandbox.fault`) or the model name, which is otherwise ignored. True if they finished the request. */
async function orderedByBody({ reply, world }: Call, request: z.infer<typeof imageRequest>): Promise<boolean> {
  const { model = '', sandbox, prompt } = request
  reply.faults.orderByModel(model)
  if (sandbox?.fault !== undefined) reply.faults.order(sandbox.fault)
  else if (!model.startsWith('fault/')) return false
  return await settleEarly(reply.faults, reply, world.failCounts, seededHex(16, prompt))
}

/** GET /v1/images/{name}: an image, only for the account that requested it. */
export async function imageFile(call: Call): Promise<void> {
  const image = call.world.images.get(call.parameters.name ?? '')
  if (!image || image.account !== call.key.account.id) {
    throw new ServiceError(404, 'image_not_found', 'There is no such image.')
  }
  await call.reply.bytes(200, image.bytes, { 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=3600' })
}

function store(call: Call, id: string, bytes: Uint8Array): string {
  const { images: kept } = call.world
  const name = `${id}.png`
  kept.delete(name)
  kept.set(name, { account: call.key.account.id, bytes })
  const oldest = kept.keys().next().value
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
  return `${addressBase(call)}/v1/images/${name}`
}

/** The base URL that the caller used, if it belongs to this server, else the sandbox's own. Never returns a foreign Host. */
function addressBase({ world, request, reply }: Call): string {
  if (reply.faults.has('foreign-url')) {
    return (reply.faults.text('foreign-url', 'to') ?? 'http://images.example').replace(/\/$/, '')
  }
  const host = request.headers.host ?? ''
  const port = new URL(world.baseUrl).port
  return host === `localhost:${port}` ? `http://${host}` : world.baseUrl
}
