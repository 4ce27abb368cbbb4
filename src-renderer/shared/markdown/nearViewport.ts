/** How far outside of its scrolling box a thing counts as near the view, in px. */
const margin = '900px'
const followers = new WeakMap<Element, (near: boolean) => void>()
let watcher: IntersectionObserver | null = null

/** Calls `tell` whenever the element comes near the view or leaves it. The answer ends it. */
export function followNear(element: Element, notify: (near: boolean) => void): () => void {
  // `scrollMargin` (Chrome 120, Safari 18) widens the box of the conversation, which `rootMargin` does not.
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
