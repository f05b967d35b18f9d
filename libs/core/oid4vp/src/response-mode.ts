/** How wallets answer: one form post of an encrypted response (HAIP 1.0 §5.1, OpenID4VP 1.0 §8.3.1). */
export const RESPONSE_MODE = 'direct_post.jwt';
