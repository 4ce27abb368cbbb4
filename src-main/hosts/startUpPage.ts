/** URL path of the page that is served during the start-up work. */
export const openingPage = '/app/opening/index.html'
/** Plain-text body of all other responses during the start-up work. */
export const openingWords = 'Inference Studio is starting. Try again in a second.'
