// The draft of the questions that the teacher's page hands to the tab of its preview.
const place = () => `veilmix-draft-${document.body.dataset.code}`;

// A tab that is opened now gets a copy of what this one keeps. draft: null: the program's own questions.
export function giveDraft(draft) {
  if (draft === null) sessionStorage.removeItem(place());
  else sessionStorage.setItem(place(), JSON.stringify(draft));
}

// The draft as JSON; "" if there is none.
export const givenDraft = () => sessionStorage.getItem(place()) ?? "";
