import type { Drawing, Image, ImageRequest, ImagesChange } from '../../../src-preload/contract/images.ts'
import { family } from '../../../src-renderer/features/images/family.ts'
import { sizeOf } from './pictureSizes.ts'

// Images, generated from a seed, so that screenshots stay comparable.

const words = ['lighthouse', 'harbour', 'old map', 'coffee machine', 'night train', 'orchard', 'glass tower', 'fox']
const manners = ['oil on canvas', 'ink and watercolour', 'blue pencil', 'long exposure', 'linocut', 'isometric']
export const idOf = (seed: number): string => `00000000-0000-4000-8000-${seed.toString(16).padStart(12, '0')}`
const ago = (minutes: number): string => new Date(Date.UTC(2026, 10, 21, 12) - minutes * 60_000).toISOString()
const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length]
  if (found === undefined) throw new Error('An empty list.')
  return found
}

export class Pictures {
  #drawings: Drawing[] = []
  #images: Image[] = []
  readonly #removed = new Map<string, Image>()
  readonly #watchers = new Set<(change: ImagesChange) => void>()
  #next = 1_000_000

  /** `thumbs`: whether thumbnails already exist. */
  constructor(count: number, thumbs: boolean) {
    for (let at = 0; at < count; ) {
      const n = Math.min((at % 4) + 1, count - at)
      const prompt = `A ${pick(words, at)} and a ${pick(words, at * 3 + 1)}, ${pick(manners, at * 5)}`
      const drawing = this.#drawing(
        idOf(500_000 + at),
        { prompt, n, model: null, size: null, responseFormat: null },
        ago(at * 3),
      )
      drawing.state = 'done'
      drawing.tookMs = 4_200 + at
      drawing.cost = `0.${String(n * 4).padStart(2, '0')}`
      drawing.costIs = at % 3 === 0 ? 'estimated' : 'measured'
      for (let index = 0; index < n; index += 1, at += 1) this.#kept(drawing, index, at + 1, thumbs, ago(at * 3))
      // Every third one is a variation of the previous one.
      if (at % 3 === 0) drawing.fromImageId = this.#images.at(-n - 1)?.id ?? null
      this.#drawings.push(drawing)
    }
  }

  #drawing(id: string, wish: ImageRequest, createdAt: string): Drawing {
    return {
      id,
      createdAt,
      state: 'making',
      problem: null,
      cost: null,
      costIs: 'unknown',
      rows: [],
      ...wish,
      slots: Array.from({ length: wish.n }, (_, index) => ({
        index,
        state: 'waiting' as const,
        imageId: null,
        fileId: null,
        problem: null,
        address: null,
      })),
      fromImageId: null,
      tookMs: null,
      inSight: { count: 0, lookId: null },
    }
  }

  #kept(drawing: Drawing, index: number, seed: number, thumbs: boolean, createdAt: string): Image {
    const id = idOf(seed)
    const { width, height } = sizeOf(seed)
    const image: Image = {
      id,
      drawingId: drawing.id,
      createdAt,
      width,
      height,
      bytes: 400_000 + seed * 37,
      mime: 'image/png',
      mediaId: id,
      thumbId: thumbs ? id : null,
      favourite: seed % 17 === 3,
      prompt: drawing.prompt.slice(0, 160),
    }
    drawing.slots = drawing.slots.with(index, {
      index,
      state: 'kept',
      imageId: id,
      fileId: null,
      problem: null,
      address: null,
    })
    drawing.inSight = { count: drawing.inSight.count + 1, lookId: drawing.inSight.lookId ?? id }
    if (createdAt > (this.#images[0]?.createdAt ?? '')) this.#images.unshift(image)
    else this.#images.push(image)
    return image
  }

  async *watch(signal: AbortSignal | undefined): AsyncGenerator<ImagesChange> {
    const waiting: ImagesChange[] = []
    let wake: () => void = () => undefined
    const push = (change: ImagesChange): void => {
      waiting.push(structuredClone(change))
      wake()
    }
    this.#watchers.add(push)
    signal?.addEventListener('abort', () => wake())
    try {
      yield { type: 'snapshot', drawings: structuredClone(this.#drawings.slice(0, 50)), total: this.#images.length }
      while (!signal?.aborted) {
        const change = waiting.shift()
        if (change) yield change
        else {
          await new Promise<void>((go) => {
            wake = go
          })
        }
      }
    } finally {
      this.#watchers.delete(push)
    }
  }

  #notify(change: ImagesChange): void {
    for (const push of this.#watchers) push(change)
  }

  find(search: string, favourites: boolean): Image[] {
    const text = search.toLowerCase()
    return this.#images.filter((image) => image.prompt.toLowerCase().includes(text) && (!favourites || image.favourite))
  }

  get(id: string) {
    const image = this.#images.find((one) => one.id === id)
    const drawing = this.#drawings.find((one) => one.id === image?.drawingId)
    if (!image || !drawing) return null
    const home = (imageId: string | null) => this.#images.find((one) => one.id === imageId)?.drawingId
    const parent = this.#drawings.find((one) => one.id === home(drawing.fromImageId))
    const children = this.#drawings.filter((one) => home(one.fromImageId) === drawing.id)
    const drawings = [parent, drawing, ...children].filter((one) => one !== undefined)
    const images = this.#images.filter(({ drawingId }) => drawings.some((one) => one.id === drawingId))
    const lineage = { drawings, images }
    if (family(lineage).length === 0) throw new Error('A lineage has its own drawing.')
    return { image, drawing, lineage }
  }

  /** `foreign` in the prompt: the second picture is refused. `failing`: all fail. `slow`: runs until cancelled. */
  make(wish: ImageRequest, fromImageId: string | null): Drawing {
    const drawing = { ...this.#drawing(idOf(this.#next++), wish, new Date().toISOString()), fromImageId }
    this.#drawings.unshift(drawing)
    this.#notify({ type: 'drawing', drawing })
    if (wish.prompt.includes('slow')) return drawing
    setTimeout(() => this.#end(drawing), 250)
    return drawing
  }

  #end(drawing: Drawing): void {
    if (drawing.state !== 'making') return
    if (drawing.prompt.includes('failing')) {
      drawing.state = 'failed'
      drawing.problem = {
        kind: 'unavailable',
        message: 'The service is not available.',
        status: 503,
        raw: '{"error":{}}',
      }
      drawing.slots = drawing.slots.map((slot) => ({ ...slot, state: 'failed' as const }))
    } else {
      drawing.slots.forEach(({ index }) => {
        if (drawing.prompt.includes('foreign') && index === 1) {
          drawing.slots = drawing.slots.with(index, {
            index,
            state: 'refused',
            imageId: null,
            fileId: null,
            address: 'https://images.example/v1/images/9f31.png',
            problem: { kind: 'foreign_address', message: 'The service named an address that is not under its own.' },
          })
        } else {
          const image = this.#kept(drawing, index, this.#next++, false, new Date().toISOString())
          this.#notify({ type: 'image', image })
        }
      })
      drawing.state = 'done'
      drawing.tookMs = 251
      drawing.cost = '0.04'
      drawing.costIs = 'measured'
    }
    this.#notify({ type: 'drawing', drawing })
  }

  cancel(id: string): Drawing {
    const drawing = this.#drawings.find((one) => one.id === id)
    if (!drawing) throw new Error('No such drawing.')
    if (drawing.state === 'making') drawing.state = 'cancelled'
    this.#notify({ type: 'drawing', drawing })
    return drawing
  }

  dismiss(id: string): void {
    this.#drawings = this.#drawings.filter((one) => one.id !== id)
  }

  change(id: string, change: Partial<Image>): Image {
    const at = this.#images.findIndex((one) => one.id === id)
    const before = this.#images[at]
    if (!before) throw new Error('No such picture.')
    const image = { ...before, ...change }
    this.#images[at] = image
    this.#notify({ type: 'image', image })
    return image
  }

  remove(ids: readonly string[]): number {
    const gone = this.#images.filter(({ id }) => ids.includes(id))
    for (const image of gone) this.#removed.set(image.id, image)
    this.#images = this.#images.filter(({ id }) => !ids.includes(id))
    this.#notify({ type: 'gone', imageIds: [...ids] })
    return gone.length
  }

  restore(ids: readonly string[]): number {
    const back = ids.flatMap((id) => this.#removed.get(id) ?? [])
    this.#images = [...this.#images, ...back].sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    for (const image of back) this.#notify({ type: 'image', image })
    return back.length
  }
}
