import { LoaderCircle } from 'lucide-react'

/** Spins while something runs. Has no text: add one beside it. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle aria-hidden className="animate-spin shrink-0" size={size} strokeWidth={2} />
}
