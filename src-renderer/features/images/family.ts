import type { infer as Infer } from 'zod'
import type { Drawing, Image, lineage } from '../../../src-preload/contract/images.ts'

/** A prompt of a lineage, with its depth. */
export interface Kin {
  drawing: Drawing
  images: readonly Image[]
  /** From 1. */
  level: number
  parentId: string | null
  /** From 1, among the variations of the same drawing. */
  place: number
  siblings: number
}

/** The lineage as rows in reading order: each prompt before those derived from it, older ones first. */
export function family({ drawings, images }: Infer<typeof lineage>): Kin[] {
  const home = new Map(images.map(({ id, drawingId }) => [id, drawingId]))
  const known = new Set(drawings.map(({ id }) => id))
  const children = new Map<string | null, Drawing[]>()
  for (const drawing of [...drawings].sort((a, b) => a.createdAt.localeCompare(b.createdAt))) {
    const from = drawing.fromImageId === null ? undefined : home.get(drawing.fromImageId)
    const parent = from !== undefined && known.has(from) && from !== drawing.id ? from : null
    children.set(parent, [...(children.get(parent) ?? []), drawing])
  }
  const read: Kin[] = []
  const seen = new Set<string>()
  // Iterative, because a chain of variations may be long.
  const open = kin(null, 1)
  while (open.length > 0) {
    const next = open.shift()
    if (!next || seen.has(next.drawing.id)) continue
    seen.add(next.drawing.id)
    read.push(next)
    open.unshift(...kin(next.drawing.id, next.level + 1))
  }
  return read

  function kin(parentId: string | null, level: number): Kin[] {
    const own = children.get(parentId) ?? []
    return own.map((drawing, at) => ({
      drawing,
      images: images.filter(({ drawingId }) => drawingId === drawing.id),
      level,
      parentId,
      place: at + 1,
      siblings: own.length,
    }))
  }
}
