/** Distance from the scrolling box that counts as near the view. */
const margin = '900px'
const followers = new WeakMap<Element, (near: boolean) => void>()
let watcher: IntersectionObserver | null = null

/** Calls `notify` whenever the element comes near the view or leaves it. Returns the function that stops it. */
export function followNear(element: Element, notify: (near: boolean) => void): () => void {
  // `scrollMargin` (Chrome 120, Safari 18) extends the box of the scrolling element, which `rootMargin` does not.
  const options: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: margin, scrollMargin: margin }
  watcher ??= new IntersectionObserver((entries) => {
    for (const entry of entries) followers.get(entry.target)?.(entry.isIntersecting)
  }, options)
  followers.set(element, notify)
  watcher.observe(element)
  return () => {
    followers.delete(element)
    watcher?.unobserve(element)
  }
}
