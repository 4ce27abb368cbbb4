import { cx } from './cx.ts'

/** Colours whose contrast with `--on-accent` is at least 4.5 in both themes (WCAG AA). */
const colors = [
  'bg-hue-blue',
  'bg-hue-teal',
  'bg-hue-violet',
  'bg-hue-amber',
  'bg-hue-rose',
  'bg-hue-green',
  'bg-hue-slate',
  'bg-hue-orange',
] as const

export type ModelColor = (typeof colors)[number]

/** Place of a model's own colour, always the same for the same name (FNV-1a hash). */
function ownPlace(model: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < model.length; at += 1) hash = Math.imul(hash ^ model.charCodeAt(at), 0x01000193)
  // The low bits of the hash differ least between similar names.
  return ((hash >>> 16) ^ (hash >>> 3)) % colors.length
}

/**
 * A colour for each model of one chat, without repeats up to eight models. A model gets its own colour, or the next free one when an earlier
 * model has it. A later model therefore never changes the colour of an earlier one.
 */
export function modelColors(models: Iterable<string>): ReadonlyMap<string, ModelColor> {
  const given = new Map<string, ModelColor>()
  for (const model of new Set(models)) {
    const own = ownPlace(model)
    const taken = new Set(given.size < colors.length ? given.values() : [])
    const inOrder = [...colors.slice(own), ...colors.slice(0, own)]
    given.set(model, inOrder.find((color) => !taken.has(color)) ?? colors[0])
  }
  return given
}

/** The first letter or digit of a model's name on the model's colour. */
export function ModelAvatar({ model, color }: { model: string; color: ModelColor }) {
  // A name may start with a sign.
  const initial = (/[\p{L}\p{N}]/u.exec(model)?.[0] ?? model.charAt(0)).toUpperCase()
  return (
    <span
      aria-hidden
      className={cx(
        'grid size-[18px] shrink-0 place-items-center rounded-[6px] font-[650] text-[12px] text-on-accent',
        color,
      )}
    >
      {initial}
    </span>
  )
}
