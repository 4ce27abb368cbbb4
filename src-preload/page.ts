// Runs before a page of a reply, in a world that the page can't change. A page may copy after any click, also without asking for a permission,
// and would replace the clipboard of the person. So nothing is copied from it.
for (const type of ['copy', 'cut']) {
  const refuse = (event: Event): void => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  window.addEventListener(type, refuse, true)
}
