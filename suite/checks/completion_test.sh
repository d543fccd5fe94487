#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
#
# completion_test.sh BUILD - tests the completions for bash and zsh: they offer
# everything that the programs have and accept, and nothing else. Closes with
# the counts. Exit: 0 all ok.
set -u

# shellcheck source=suite/checks/testing.sh
. "${0%/*}/testing.sh"
here=$(realpath "$here")
completion=$here/../../completion
PATH=$build:$PATH
# As in an interactive shell.
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
# shellcheck source=completion/warpspec.bash
. "$completion/warpspec.bash"

# LINE: prints what bash would offer for it with the cursor at its end.
complete_line()
{
	COMP_LINE=$1 COMP_POINT=${#1}
	read -ra COMP_WORDS <<<"$1"
	COMPREPLY=()
	_warpspec
}

# LINE OFFER...: all of these are offered; after an offer `--`, none of the
# rest.
offers()
{
	local line=$1 want not=
	shift
	complete_line "$line"
	for want in "$@"; do
		if [[ $want == -- ]]; then
			not=not
		elif [[ $not && " ${COMPREPLY[*]} " == *" $want "* ]]; then
			not_ok "'$line'" "offers $want"
			return
		elif [[ ! $not && " ${COMPREPLY[*]} " != *" $want "* ]]; then
			not_ok "'$line'" "does not offer $want but" \
				"${COMPREPLY[*]:0:20}"
			return
		fi
	done
	ok "'$line'"
}

# LINE OFFER...: exactly these are offered.
offers_only()
{
	local line=$1
	shift
	complete_line "$line"
	if [[ ${COMPREPLY[*]} == "$*" ]]; then
		ok "'$line' and nothing else"
	else
		not_ok "'$line'" "offers: ${COMPREPLY[*]:0:20}" "due: $*"
	fi
}

cd "$tmp" || exit 2
touch my.ini known.ini
mkdir captures

offers "warpspec " run list show coverage explore check-agent device decode audit rejudge help -- warpspec
offers_only "warpspec sh" show
offers "warpspec run --" --device --refdut --jobs --report --strict -- \
	--list-controls --list-mutants
offers_only "warpspec run --fam" --family
offers "warpspec run -d " my.ini known.ini
offers_only "warpspec run --device=m" my.ini
offers_only "warpspec run --captures " captures/
offers_only "warpspec run --family " 4 6
offers_only "warpspec run --spec draft-0" draft-03 draft-01
offers_only "warpspec run --report j" json junit
offers_only "warpspec run --report json=m" my.ini
offers_only "warpspec run --report=json=m" my.ini
offers_only "warpspec run --jobs "
offers_only "warpspec run --ics m" my.ini
offers_only "warpspec run --refdut=ignore_bad_c" ignore_bad_crc
offers_only "warpspec run --refdut=ignore_bad_crc,+depths_of_o" \
	ignore_bad_crc,+depths_of_one
offers "warpspec run --refdut " ddp/ mpa/ rdmap/
offers_only "warpspec run --control mu" mute
offers_only "warpspec run --without masked" masked-atomics
offers "warpspec run " ddp/ foundations/ mpa/ rdmap/ req: rfc: level: role: feature:
offers_only "warpspec list mpa/mul" mpa/mulpdu/
offers_only "warpspec run --strict mpa/crc/wrong_crc_is_never_del" \
	mpa/crc/wrong_crc_is_never_delivered \
	mpa/crc/wrong_crc_is_never_delivered@initiator
# bash has cut the word after the @.
offers_only "warpspec show mpa/crc/wrong_crc_is_never_delivered@in" initiator
offers_only "warpspec run !mpa/mul" '!mpa/mulpdu/'
offers_only "warpspec run '!mpa/mul" '!mpa/mulpdu/'
offers_only "warpspec run 'mpa/mul" mpa/mulpdu/
offers_only "warpspec run '!mpa/crc/wrong_crc_is_never_delivered@i" \
	'!mpa/crc/wrong_crc_is_never_delivered@initiator'
offers_only "warpspec run level:" may must open should
offers_only "warpspec run role:" initiator responder
offers "warpspec list rfc:" 5040 5041 5044 6581 7306
offers_only "warpspec list req:MPA-4.4-14" MPA-4.4-14
offers "warpspec list feature:" imm send markers-rx
offers "warpspec help " run show
offers "warpspec report " diff merge matrix text json -- run FORMAT
offers_only "warpspec report mat" matrix
offers_only "warpspec report diff --f" --format
offers_only "warpspec report diff --format " text markdown html
offers_only "warpspec report merge --format j" json junit
offers_only "warpspec report diff m" my.ini
offers "warpspec report bundle --" --ics --key --cert --captures --html
offers_only "warpspec report verify --ca m" my.ini
offers_only "warpspec report matrix my.ini -o k" known.ini
offers_only "warpspec coverage " req: rfc:
offers_only "warpspec coverage req:MPA-4.4-14" MPA-4.4-14
offers_only "warpspec check-agent mpa"
offers_only "warpspec decode m" my.ini
offers "warpspec-refdut --" --bind --ulp --list-mutants --verify
offers_only "warpspec-refdut --mutant ignore_bad_c" ignore_bad_crc
offers_only "warpspec-refdut --mutant fetchadd_carry" fetchadd_carry_crosses_field
offers_only "warpspec-refdut --ulp rping-" rping-client
if [[ -x $build/warpspec-agent ]]; then
	offers "warpspec-agent --" --bind --device --token-file
fi

# The program accepts every offered value: it complains only about the argument
# after it.
for option in link family spec segmentation judge-peer captures-of evidence; do
	for value in $(_warpspec_values warpspec "--$option" ""); do
		[[ $value == *: ]] && value+=1
		err=$(warpspec run "--$option=$value" --no-such-option 2>&1)
		case $err in
		*"--$option: unknown option"*) not_ok "--$option" "$err" ;;
		*--no-such-option*) ok "--$option $value" ;;
		*) not_ok "--$option $value" "is offered, but: $err" ;;
		esac
	done
done

for format in $(_warpspec_values warpspec --report ""); do
	refuses "--report $format" "--report none: no such format" \
		warpspec run --report "$format=a.$format" --report none
done

# And zsh's, if it is installed: the completion of each word gives the next.
typed=('warpspec sh' 'warpspec run --fam' 'warpspec list mpa/mul'
	'warpspec run --refdut=ignore_bad_c' 'warpspec list req:MPA-4.4-14'
	'warpspec-refdut --ulp rping-c' 'warpspec report matr')
due=('warpspec show ' 'warpspec run --family ' 'warpspec list mpa/mulpdu/'
	'warpspec run --refdut=ignore_bad_crc ' 'warpspec list req:MPA-4.4-14 '
	'warpspec-refdut --ulp rping-client ' 'warpspec report matrix ')
if command -v zsh >/dev/null; then
	mapfile -t became < <(timeout 30 zsh -f "$here/completion_zsh.zsh" \
		"$completion" "${typed[@]}")
	for i in "${!typed[@]}"; do
		if [[ ${became[i]:-} == "${due[i]}" ]]; then
			ok "zsh: '${typed[i]}'"
		else
			not_ok "zsh: '${typed[i]}'" "became '${became[i]:-}'" \
				"due: '${due[i]}'"
		fi
	done
fi

echo "completion: $passed passed, $failed failed"
[[ $failed -eq 0 ]]
