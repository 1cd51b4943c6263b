/** The pages about the whole installation. */
export const settings = () => ({
  links: {
    databases: {
      name: "Databases",
      about: "Size and location of each database, and moves between them",
    },
    deleted: {
      name: "Deleted forms and apps",
      about: "Restore what was deleted in the last 7 days",
    },
    people: {
      name: "Find a person",
      about: "Find and permanently delete the data of a person",
    },
    signIn: {
      name: "Single sign-on and two factors",
      about: "Set up Cloudflare Access for everyone who signs in",
    },
    account: {
      name: "Your account",
      about: "Your name, language, time zone, password and sessions",
    },
  },
});
