import { LoaderCircle } from 'lucide-react'

/** A progress spinner without text. Add a text beside it. */
export function Spinner({ size = 14 }: { size?: number }) {
  return <LoaderCircle aria-hidden className="animate-spin shrink-0" size={size} strokeWidth={2} />
}
