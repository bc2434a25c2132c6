package claude

import (
	"maps"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// toolQuestion is the tool by which the model asks the person.
const toolQuestion = "AskUserQuestion"

// question is what was asked, as far as the answer needs it.
type question struct {
	input map[string]any // goes back with the permission
	about []string       // the questions of toolQuestion
}

// answered is the input with an answer to each of its questions.
func (q question) answered(answer string) map[string]any {
	answers := map[string]any{}
	for _, text := range q.about {
		answers[text] = answer
	}
	input := maps.Clone(q.input)
	if input == nil {
		input = map[string]any{}
	}
	input["answers"] = answers
	return input
}

// ask makes a question of a request to use a tool.
func ask(id, tool string, input map[string]any) (journal.Question, question) {
	q := journal.Question{ID: id, Kind: agent.QuestionPermission, Tool: tool, Text: does(input)}
	from := question{input: input}
	if tool != toolQuestion {
		return q, from
	}
	list, _ := input["questions"].([]any)
	var texts, options []string
	several := len(list) != 1
	for _, one := range list {
		about, _ := one.(map[string]any)
		text, _ := about["question"].(string)
		if text == "" {
			continue
		}
		from.about = append(from.about, text)
		options = labels(about["options"])
		many, _ := about["multiSelect"].(bool)
		several = several || many || len(options) == 0
		if len(options) > 0 {
			text += " (" + strings.Join(options, " | ") + ")"
		}
		texts = append(texts, text)
	}
	switch {
	case len(texts) == 0:
		return q, from // not as we know it: the input is shown
	case several:
		q.Kind, q.Text = agent.QuestionText, strings.Join(texts, "\n")
	default:
		q.Kind, q.Text, q.Options = agent.QuestionChoice, from.about[0], options
	}
	return q, from
}

func labels(options any) []string {
	list, _ := options.([]any)
	var all []string
	for _, one := range list {
		option, _ := one.(map[string]any)
		if label, _ := option["label"].(string); label != "" {
			all = append(all, label)
		}
	}
	return all
}

// does says in a line what a tool call is about.
func does(input map[string]any) string {
	for _, name := range []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description"} {
		if text, ok := input[name].(string); ok && text != "" {
			return agent.Line(text)
		}
	}
	if len(input) == 0 {
		return ""
	}
	return agent.Line(string(encode(input)))
}
