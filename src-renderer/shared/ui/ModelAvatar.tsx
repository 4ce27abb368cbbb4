import { cx } from './cx.ts'

/** Colours whose contrast with `--on-accent` is at least 4.5 in both themes (WCAG AA). */
const colors = [
  'bg-tool-blue',
  'bg-tool-teal',
  'bg-tool-violet',
  'bg-tool-amber',
  'bg-tool-rose',
  'bg-tool-green',
  'bg-tool-slate',
  'bg-tool-orange',
] as const

/** The colour of a model, always the same for the same name (FNV-1a hash). */
export function modelColor(model: string): (typeof colors)[number] {
  let hash = 0x811c9dc5
  for (let at = 0; at < model.length; at += 1) hash = Math.imul(hash ^ model.charCodeAt(at), 0x01000193)
  // The low bits of the hash differ least between similar names.
  return colors[((hash >>> 16) ^ (hash >>> 3)) % colors.length] ?? colors[0]
}

/** The first letter or digit of a model's name on the model's colour. */
export function ModelAvatar({ model }: { model: string }) {
  // A name may start with a sign.
  const initial = (/[\p{L}\p{N}]/u.exec(model)?.[0] ?? model.charAt(0)).toUpperCase()
  return (
    <span
      aria-hidden
      className={cx(
        'grid size-[18px] shrink-0 place-items-center rounded-[6px] font-[650] text-[10px] text-on-accent',
        modelColor(model),
      )}
    >
      {initial}
    </span>
  )
}
