import { LoaderCircle } from 'lucide-react'

/** Turns while something is under way. Says nothing by itself: the words beside it do. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle aria-hidden className="animate-spin shrink-0" size={size} strokeWidth={2} />
}
