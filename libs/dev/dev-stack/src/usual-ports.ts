/** The ports of the stack on a developer's machine, each taken if it is free; docs/local-stack.md lists all. */
export const USUAL_PORTS = { management: 8081, public: 8080, console: 8090, shop: 3000 } as const;
